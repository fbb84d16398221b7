import type {
  CallOutcome,
  FindingClass,
  Note,
  Origin,
  StrategyName,
  StrategyUsed,
  TokenSource,
  TurnOutcome,
} from '@callsmith/turn';

/** All that is kept of one request to an inference route. */
export interface TurnRecord {
  /** UUIDv7; its time is the partition key. */
  readonly id: string;
  readonly requestId: string;
  /** The route's pattern, e.g. `/v1/chat/completions`. */
  readonly route: string;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly modelId: string | null;
  /** The name asked for, at most 200 characters. */
  readonly model: string;
  readonly upstreamId: string | null;
  readonly engineVersion: string | null;
  readonly strategy: StrategyName | null;
  readonly strategyUsed: StrategyUsed | null;
  readonly dialect: string | null;
  /** From a closed table of clients, else `other`. */
  readonly client: string;
  readonly conversation: string | null;
  readonly streamed: boolean;
  readonly outcome: TurnOutcome;
  readonly classes: readonly FindingClass[];
  readonly toolsOffered: number;
  readonly injectedTokens: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly tokenSource: TokenSource | null;
  /** Our own added time in microseconds (see the vocabulary). */
  readonly addedUs: number | null;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  readonly attempts: number;
  readonly status: number;
  readonly errorOrigin: Origin | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly calls: readonly CallRecord[];
  /** Present where tools were offered or a call was found and this turn is to be stored. */
  readonly body: TurnBodyRecord | null;
}

export interface CallRecord {
  readonly n: number;
  readonly tool: string;
  readonly outcome: CallOutcome;
  readonly classes: readonly FindingClass[];
  readonly rules: readonly string[];
  readonly action: string | null;
  /** UTF-8 bytes of its arguments. */
  readonly bytes: number;
  readonly shape: string | null;
}

export interface TurnBodyRecord {
  /** The client's request as JSON text; headers are never part of it. */
  readonly clientRequest: string | null;
  readonly upstreamRequest: string | null;
  /** What the upstream said, one entry a choice: text as it came, with the offsets at which deltas ended. */
  readonly raw: readonly RawChoice[];
  readonly delivered: unknown;
  readonly notes: readonly Note[];
  /** The settings in effect and their sources. */
  readonly settings: unknown;
}

export interface RawChoice {
  readonly choice: number;
  readonly text: string;
  readonly reasoning: string;
  /** UTF-16 offsets in `text` at which deltas ended. */
  readonly cuts: readonly number[];
  /** Native call fragments as they came. */
  readonly fragments: readonly unknown[];
}

/** Takes finished turns; never waits, never throws. A full queue drops and counts. */
export interface Recorder {
  add(turn: TurnRecord): void;
  /** True if a turn of this outcome is to be stored with its bodies (sampling, caps, opt-out). */
  stores(about: { outcome: TurnOutcome; failed: boolean; storesBodies: boolean }): boolean;
}

/** Nest's token of the `Recorder`. */
export const RECORDER = Symbol('RECORDER');
