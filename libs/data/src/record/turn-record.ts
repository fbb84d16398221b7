import type { RecordedValues } from '@callsmith/contracts';
import type {
  CallOutcome,
  Finding,
  FindingClass,
  Origin,
  StrategyName,
  StrategyUsed,
  TokenSource,
  TurnOutcome,
} from '@callsmith/turn';

/** Values that `TurnRecord` holds as something else, or that are known only when it is written. */
type Restated = 'at' | 'classes' | 'calls' | 'productVersion' | 'stored';

/** All that is kept of one request to an inference route. */
export interface TurnRecord extends Omit<RecordedValues, Restated> {
  readonly strategy: StrategyName | null;
  readonly strategyUsed: StrategyUsed | null;
  readonly classes: readonly FindingClass[];
  readonly tokenSource: TokenSource | null;
  readonly errorOrigin: Origin | null;
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
  /** All tries at the answer, in their order, where it was asked for again; absent: there was one. */
  readonly tries?: readonly TryRecord[];
  /** What was said and run in each round of agent mode, in their order; absent: it was none. */
  readonly rounds?: readonly RoundRecord[];
  /** What was done for the answer, in the order in which it was begun; absent: nothing. */
  readonly timeline?: readonly TimelineEntry[];
  readonly notes: readonly Finding[];
  /** The settings in effect and their sources. */
  readonly settings: unknown;
}

/** One of several tries at an answer. */
export interface TryRecord {
  /** Its answer went to the client; what was sent for it and what came is the body's own. */
  readonly delivered: boolean;
  /** Why its answer is of no use; empty where it is good, or where none came. */
  readonly classes: readonly FindingClass[];
  /** What its model was told of the answer before, behind that answer; empty where the same was asked once more. */
  readonly messages: readonly unknown[];
  readonly upstreamRequest: string | null;
  readonly raw: readonly RawChoice[];
}

/** One round of agent mode: what the model said, and the tools that ran for it. */
export interface RoundRecord {
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** How long the model took. */
  readonly tookMs: number;
  readonly runs: readonly {
    /** The MCP server; null: it called a tool that there is not. */
    readonly server: string | null;
    readonly tool: string;
    readonly arguments: string;
    readonly result: string;
    readonly failed: boolean;
    readonly tookMs: number;
  }[];
}

/** A request to a model server, or a call of an MCP server's tool. Times are milliseconds since the request came. */
export interface TimelineEntry {
  /** Why a model server was asked (to answer, to correct an answer, for another model's calls), or that a tool was called. */
  readonly kind: 'attempt' | 'correction' | 'delegation' | 'tool';
  /** The upstream or the MCP server; null: a tool was called that there is not. */
  readonly server: string | null;
  /** The model's name there, or the tool's. */
  readonly name: string;
  readonly startMs: number;
  /** When its answer began; null: it did not, or that is not known. */
  readonly firstByteMs: number | null;
  readonly endMs: number;
  /** Why it came to nothing: a code of the error catalogue, `unusable`, or `tool_error`; null: it did not. */
  readonly problem: string | null;
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
