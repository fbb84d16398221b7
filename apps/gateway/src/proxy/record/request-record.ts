import { newTurnId } from '@callsmith/data/ids';
import type { KeyEntry, ModelEntry, Route } from '@callsmith/data/snapshot';
import { type Fault, type FaultCode, ResponseAccumulator, type StrategyUsed, type Turn } from '@callsmith/turn';
import { ResponseSummary } from './response-summary.ts';

/** All that is known of one request to an inference route, filled in as it goes its way; observers read it. */
export class RequestRecord {
  /** UUIDv7: its time is the row's partition. */
  readonly id: string;
  readonly at = new Date();
  /** When the request was whole, `performance.now()`; until then when its head came. */
  arrivedAt = performance.now();
  readonly startedAt = this.arrivedAt;
  /** The beginning of what a turn that passes untouched said, as inside a JSON string. */
  textSample = '';
  /** What the model said and what became of it. */
  readonly summary = new ResponseSummary();
  /** The answer as it went out, of the newest attempt; empty for a turn that passes untouched. */
  delivered = new ResponseAccumulator();
  key: KeyEntry | undefined;
  /** The model name asked for. */
  requestedModel = '';
  model: ModelEntry | undefined;
  turn: Turn | undefined;
  streamed = false;
  /** The newest attempt's. */
  route: Route | undefined;
  strategyUsed: StrategyUsed | undefined;
  dialect: string | undefined;
  attempts = 0;
  /** Bodies for the transcript; undefined where none will be kept. */
  clientBody: Uint8Array | undefined;
  upstreamBody: string | undefined;
  /** Tokens that the prompt strategy put into the request, estimated. */
  toolPromptTokens: number | undefined;
  /** Why the model was told to stop calling. */
  nudge: FaultCode | undefined;
  /** Parameters that were left out for the upstream. */
  dropped: readonly string[] = [];
  /** `performance.now()` of: request out, first upstream byte in (for a whole answer: its last), first bytes to the client. */
  upstreamRequestAt: number | undefined;
  firstByteAt: number | undefined;
  firstResponseAt: number | undefined;
  /** `performance.now()` of the end of it all. */
  endedAt: number | undefined;
  /** Milliseconds that the request waited for a free connection; not our own time. */
  waitedMs = 0;
  status = 0;
  fault: Fault | undefined;
  /** The client hung up before its answer was whole. */
  clientClosed = false;

  constructor(
    readonly requestId: string,
    /** The route's pattern. */
    readonly path: string,
    readonly client: string,
  ) {
    this.id = newTurnId(this.at);
  }

  /** Our own added time in milliseconds, as far as it is known now; undefined before the request went upstream. */
  overheadMs(): number | undefined {
    if (this.upstreamRequestAt === undefined || this.firstByteAt === undefined) return undefined;
    return (
      this.upstreamRequestAt - this.arrivedAt - this.waitedMs + ((this.firstResponseAt ?? this.end) - this.firstByteAt)
    );
  }

  /** When all was over; until then: now. */
  get end(): number {
    return this.endedAt ?? performance.now();
  }
}
