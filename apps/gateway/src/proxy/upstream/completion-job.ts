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

/** How much of an answer is read (D-39). */
export interface ResponseBounds extends AnswerBounds {
  /** Bytes of an answer whose frames pass through as they come. */
  readonly frames: number;
}

/** The bounds where no settings are given. */
export const defaultAnswerBounds: ResponseBounds = { ...defaultBounds, frames: 64 * 1024 * 1024 };

/** A model that takes over where the one that was asked for cannot answer. */
export interface Fallback {
  readonly model: ModelEntry;
  readonly on: 'context' | 'outage';
}

/** Stores an answer. `said`: the conversation's last turn and its answer, where more was said than the client asked. */
export type StoreAnswer = (
  folded: Folded,
  said?: { readonly messages: Turn['messages']; readonly folded: Folded },
) => Promise<void>;

/** A turn to be answered, and where its answer goes. */
export interface CompletionJob {
  readonly record: RequestRecord;
  /** The parts of the record that attempts write. */
  readonly log: AttemptLog;
  readonly timing: UpstreamTiming;
  readonly model: ModelEntry;
  /** Models that the key may use and that may take over, in order. */
  readonly fallbacks?: readonly Fallback[];
  /** The model that writes the calls which this one decides on; absent: it calls tools itself. */
  readonly delegate?: ModelEntry;
  readonly turn: Turn;
  /** The API that the client speaks. */
  readonly adapter: InboundAdapter;
  readonly head: ResponseHead;
  readonly response: ClientResponse;
  readonly observers: Observers;
  /** The turn's frames go through as they come; undefined: they are read. */
  readonly passthrough: Passthrough | undefined;
  /** Where the client put a message, for error messages. */
  readonly messagePath: (message: number) => string;
  /** Stores a good answer before it ends: a follow-up may reach another process. */
  readonly store?: StoreAnswer;
  readonly bounds?: ResponseBounds;
  /** Reserves the tokens of another try at the same answer; false: there is no budget for it. Absent: nothing is counted. */
  readonly reserveTry?: (turn: Turn) => Promise<boolean>;
  /** The rules of the compatibility routes (M-4, M-5). */
  readonly proxyRules: boolean;
  /** The client's headers that go along. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: AbortReceiver;
}
