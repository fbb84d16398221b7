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

/** Values that `TurnRecord` has in another form, or that are known only when it is written. */
type Restated = 'at' | 'classes' | 'calls' | 'productVersion' | 'stored';

/** The record of one request to an inference route. */
export interface TurnRecord extends Omit<RecordedValues, Restated> {
  readonly strategy: StrategyName | null;
  readonly strategyUsed: StrategyUsed | null;
  readonly classes: readonly FindingClass[];
  readonly tokenSource: TokenSource | null;
  readonly errorOrigin: Origin | null;
  readonly calls: readonly CallRecord[];
  /** Present if tools were offered or a call was found and this turn should be stored. */
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
  /** The upstream's output, one entry per choice: unmodified text, with the offsets at which deltas ended. */
  readonly raw: readonly RawChoice[];
  readonly delivered: unknown;
  /** All attempts in order, if the response was corrected; undefined: there was one. */
  readonly tries?: readonly TryRecord[];
  /** The content and calls of each round of agent mode, in order; undefined: no agent mode. */
  readonly rounds?: readonly RoundRecord[];
  /** The steps of the request, in order of their start; undefined: none. */
  readonly timeline?: readonly TimelineEntry[];
  readonly notes: readonly Finding[];
  /** The settings in effect and their sources. */
  readonly settings: unknown;
}

/** One of several attempts. */
export interface TryRecord {
  /** Its response was delivered; its request and response are the body's own. */
  readonly delivered: boolean;
  /** Why its response is unusable; empty if it is good, or if there was none. */
  readonly classes: readonly FindingClass[];
  /** The correction message to the model, appended to the previous response; empty if the same request was repeated. */
  readonly messages: readonly unknown[];
  readonly upstreamRequest: string | null;
  readonly raw: readonly RawChoice[];
}

/** One round of agent mode: the model's output, and the tools that ran. */
export interface RoundRecord {
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The model's time. */
  readonly tookMs: number;
  readonly runs: readonly {
    /** The MCP server; null: the tool does not exist. */
    readonly server: string | null;
    readonly tool: string;
    readonly arguments: string;
    readonly result: string;
    readonly failed: boolean;
    readonly tookMs: number;
  }[];
}

/** A request to a model server, or a call of an MCP server's tool. Times are milliseconds since the request arrived. */
export interface TimelineEntry {
  /** The purpose of a model request (to answer, to correct a response, for another model's calls), or a tool call. */
  readonly kind: 'attempt' | 'correction' | 'delegation' | 'tool';
  /** The upstream or the MCP server; null: the called tool does not exist. */
  readonly server: string | null;
  /** The model's name there, or the tool's. */
  readonly name: string;
  readonly startMs: number;
  /** When its response began; null: it did not, or that is unknown. */
  readonly firstByteMs: number | null;
  readonly endMs: number;
  /** Why it failed: a code of the error catalogue, `unusable`, or `tool_error`; null: it did not. */
  readonly problem: string | null;
}

export interface RawChoice {
  readonly choice: number;
  readonly text: string;
  readonly reasoning: string;
  /** UTF-16 offsets in `text` at which deltas ended. */
  readonly cuts: readonly number[];
  /** Unmodified native call fragments. */
  readonly fragments: readonly unknown[];
}

/** Accepts finished turns; never waits, never throws. A full queue drops and counts. */
export interface Recorder {
  add(turn: TurnRecord): void;
  /** True if a turn of this outcome should be stored with its bodies (sampling, caps, opt-out). */
  stores(about: { outcome: TurnOutcome; failed: boolean; storesBodies: boolean }): boolean;
}

/** Nest's token of the `Recorder`. */
export const RECORDER = Symbol('RECORDER');
