import type { PastCall, Tool, ToolChoice, ToolTable } from '@callsmith/turn';
import type { PendingCall } from './finalize/pending-call.ts';
import type { Rule } from './rules.ts';
import type { Scanner, Step } from './scanner.ts';

/** A tool result as the model is to see it. */
export interface PastResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

/** Where an opener counts (D-9): anywhere in the text, at a line's start, at the answer's start, or directly in a code fence. */
export interface OpeningMarker {
  /** The word itself; '' where the dialect's `fits` alone decides, at that place. */
  readonly text: string;
  readonly at: 'anywhere' | 'line' | 'answer' | 'fence';
  /** Heard only where the dialect is the model's own or under `auto` (D-9). */
  readonly ambiguous?: boolean;
  /** The repair that opening so is. */
  readonly rule?: Rule;
}

/** How an engine can be held to this dialect when a call begins. */
export interface Fence {
  readonly trigger: string;
  readonly begin: string;
  readonly end: string;
}

/** Words between which the model thinks aloud. */
export interface ReasoningBlock {
  readonly open: string;
  readonly closes: readonly string[];
  readonly at: 'anywhere' | 'line' | 'answer';
  /** Close words that are only looked at, as they open what follows. */
  readonly endsBefore?: readonly string[];
}

/** What a grammar tells of the calls that it reads. */
export interface CallBuilder {
  readonly tools: ToolTable;
  readonly opener: OpeningMarker;
  /** The dialect is the model's own, not one that is listened for beside it. */
  readonly own: boolean;
  /** Begins a call. The arguments follow by `write`. */
  open(name: string): PendingCall;
  /** Notes a repair of the call that is being read, or of the next one. */
  repair(rule: Rule, from: number, to: number): void;
  /** Where several calls may stand in one block: the one that has just been read began at `from` and ends here. */
  setRange(from: number): void;
}

/** One way of saying calls in text: how to teach it, write it, read it and fence it. */
export interface Dialect {
  readonly name: string;
  /** Heard only where it is the model's own or under `auto`, as it could be prose (D-9). */
  readonly ambiguous?: boolean;
  /** What begins a call; `own` is false where the dialect is only listened for. */
  openingMarkers(tools: ToolTable, own: boolean): readonly OpeningMarker[];
  /** Its openers hold names of the tools, so they are made anew for each table. */
  readonly markersNameTools?: true;
  /** Looks ahead from behind the opener: is this ours? Takes nothing. */
  matches?(scan: Scanner, builder: CallBuilder): Step<boolean>;
  /** Reads from behind the opener to the end of the closer. May answer with reasoning that begins here. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a generator that ends without a value
  parse(scan: Scanner, builder: CallBuilder): Step<ReasoningBlock | void>;
  readonly reasoning?: readonly ReasoningBlock[];
  /** Words that only frame text, e.g. Cohere's `<|START_RESPONSE|>`; they are left out. */
  readonly frames?: readonly string[];
  /** What the model is told: the tools, and how to call one. */
  renderToolPrompt(tools: ToolTable, choice: ToolChoice): string;
  /** A past call, as the model would have written it. */
  renderCall(call: PastCall): string;
  /** A tool's result, as the model expects to see it. */
  renderResult(result: PastResult): string;
  /** False for a call that this dialect has no way to say (D-12). */
  canExpress?(call: PastCall, tool: Tool | undefined): boolean;
  fence?(tool: Tool): Fence;
}
