import type { ModelEntry } from '@callsmith/data/snapshot';
import type { InboundAdapter, Passthrough, ResponseHead } from '@callsmith/protocols';
import { type AnswerBounds, defaultBounds } from '@callsmith/toolcall';
import type { Folded, Turn } from '@callsmith/turn';
import type { Observers } from '../observers/index.ts';
import type { AbortReceiver } from '../record/abort-source.ts';
import type { AttemptLog } from '../record/attempt-log.ts';
import type { RequestRecord } from '../record/request-record.ts';
import type { UpstreamTiming } from '../record/upstream-timing.ts';
import type { ClientResponse } from '../response/client-response.ts';

/** Limits on the size of a response (D-39). */
export interface ResponseBounds extends AnswerBounds {
  /** The most bytes of a response that passes through. */
  readonly frames: number;
}

/** The limits unless settings say otherwise. */
export const defaultAnswerBounds: ResponseBounds = { ...defaultBounds, frames: 64 * 1024 * 1024 };

/**
 * A model to use if the requested one cannot answer: `context`, because the prompt is too long for it; `outage`,
 * because its servers fail.
 */
export interface Fallback {
  readonly model: ModelEntry;
  readonly on: 'context' | 'outage';
}

/**
 * Stores a response for follow-up requests. `conversation`: the messages and the response of the last round, if the gateway
 * added rounds to the client's request (agent mode).
 */
export type StoreAnswer = (
  folded: Folded,
  conversation?: { readonly messages: Turn['messages']; readonly folded: Folded },
) => Promise<void>;

/** A turn to be answered by a model, and where the response goes. */
export interface CompletionJob {
  readonly record: RequestRecord;
  /** The parts of the record that attempts write. */
  readonly log: AttemptLog;
  readonly timing: UpstreamTiming;
  readonly model: ModelEntry;
  /** Models that the key may use and that may take over, in order. */
  readonly fallbacks?: readonly Fallback[] | undefined;
  /** The model that writes the calls on which `model` decides (H-9); absent: `model` calls tools itself. */
  readonly delegate?: ModelEntry | undefined;
  readonly turn: Turn;
  /** The API that the client speaks. */
  readonly adapter: InboundAdapter;
  readonly head: ResponseHead;
  readonly response: ClientResponse;
  readonly observers: Observers;
  /** How frames of the upstream's stream pass through unchanged; undefined: the response is parsed. */
  readonly passthrough: Passthrough | undefined;
  /** The path of a message, by its index, in the client's request; for error messages. */
  readonly messagePath: (message: number) => string;
  /**
   * Stores a good response. It is awaited before the response ends, as a follow-up request may reach another process.
   */
  readonly store?: StoreAnswer | undefined;
  readonly bounds?: ResponseBounds | undefined;
  /**
   * Reserves tokens for a correction of the same response (D-43); false: the budget does not allow it. Absent: there
   * are no limits.
   */
  readonly reserveTry?: (turn: Turn) => Promise<boolean>;
  /** The rules of the compatibility routes (M-4, M-5). */
  readonly proxyRules: boolean;
  /** The client's headers that are forwarded to the upstream. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: AbortReceiver;
}
