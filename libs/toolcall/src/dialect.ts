import type { ArgumentStyle, PastCall, Tool, ToolTable } from '@callsmith/turn';
import type { PendingCall } from './finalize/pending-call.ts';
import type { Rule } from './rules.ts';
import type { Scanner, Step } from './scanner.ts';

/** A tool result to render into the prompt. */
export interface PastResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

/** Where a marker is recognized: anywhere, at a line's start, at the answer's start, or directly in a code fence. */
export type MarkerPosition = 'anywhere' | 'line' | 'answer' | 'fence';

/** A marker after which a call may begin. */
export interface OpeningMarker {
  /** The marker itself; '' if there is none, and `matches` alone decides at that position. */
  readonly text: string;
  readonly at: MarkerPosition;
  /** Could be prose: recognized only if the dialect is the model's own, or if the model's dialect is unknown. */
  readonly ambiguous?: boolean;
  /** Could be prose: outside the model's own dialect it begins a call only if the call's name is on offer. */
  readonly onlyWithOfferedName?: boolean;
  /** The repair that is recorded when a call begins with this marker. */
  readonly rule?: Rule;
  /**
   * Its calls count only if no prose follows them and at least one has a name on offer: `always`, or only when visible
   * text precedes them (`behind-prose`).
   */
  readonly onlyAtEnd?: 'always' | 'behind-prose';
  /** It begins a call only if no call precedes it: after a call it means something else. */
  readonly onlyFirst?: boolean;
}

/** A marker that only frames text, e.g. Cohere's `<|START_RESPONSE|>`. In its own dialect it is removed. */
export interface FrameMarker {
  readonly text: string;
  readonly at: 'anywhere' | 'line' | 'answer';
  /**
   * Its treatment for models of other dialects. Absent: text. `beside-call`: removed if only white space separates it
   * from a call, else text. `unmistakable`: the same, and also removed anywhere if the model's dialect is unknown.
   */
  readonly elsewhere?: 'beside-call' | 'unmistakable';
}

/** A marker that begins a tool's result. A model that writes one after its call is inventing the result. */
export interface ResultMarker {
  readonly text: string;
  readonly at: 'anywhere' | 'line';
  /** What must follow if the marker alone could be prose; at most 160 characters are tested. */
  readonly behind?: RegExp;
  /** Recognized only if nothing but white space separates it from the call. */
  readonly directly?: boolean;
  /** Could be prose: outside the model's own dialect it is recognized only directly after a call of its dialect. */
  readonly ambiguous?: boolean;
}

/** How tool results are rendered for the model, and the markers that identify an invented one. */
export interface ResultFormat {
  /** A tool's result in the format that the model expects. */
  renderResult(result: PastResult): string;
  readonly resultMarkers: readonly ResultMarker[];
  /** Markers that end the result; they are escaped in file contents, so that they have no effect there. */
  readonly resultEnds?: readonly string[];
}

/** The tokens with which a chat template separates turns. */
export interface ChatTemplate {
  /** Tokens that begin another role's turn; a model that writes one after its call has failed to stop. */
  readonly turnStarts?: readonly string[];
  /** Tokens that end a turn; a server may leave them at the end of the text. */
  readonly turnEnds: readonly string[];
  /** Other tokens that must be escaped in file contents. */
  readonly others?: readonly string[];
}

/** How an engine constrains a call in this dialect: the arguments are between `begin` and `end`. */
export interface Fence {
  /**
   * The prefix of `begin` from which decoding is constrained. It must not occur in prose, or prose would force a call.
   */
  readonly trigger: string;
  readonly begin: string;
  readonly end: string;
  /** The syntax of the arguments. */
  readonly style: ArgumentStyle;
}

/** Properties of a model that its tool prompt depends on. */
export interface PromptShape {
  /** False: the model makes one call at a time, and the prompt does not mention several. */
  readonly parallel?: boolean;
  /** The prompt holds only what a call needs. */
  readonly short?: boolean;
}

/** Markers between which a model reasons. */
export interface ReasoningBlock {
  readonly open: string;
  readonly closes: readonly string[];
  readonly at: 'anywhere' | 'line' | 'answer';
  /** Where it is recognized for models of other dialects; absent: nowhere, as it could be prose. */
  readonly elsewhere?: 'anywhere' | 'line';
  /** The prompt may already open it, so that the answer begins inside and holds only its closing marker. */
  readonly openedByPrompt?: boolean;
  /** Markers that end the block but are not consumed, as they open what follows. */
  readonly endsBefore?: readonly string[];
}

/** Receives the calls that a grammar parses. */
export interface CallBuilder {
  readonly tools: ToolTable;
  readonly openingMarker: OpeningMarker;
  /** True if the dialect is the model's own, not one that is parsed in addition. */
  readonly own: boolean;
  /** Begins a call. The arguments follow by `write`. */
  open(name: string): PendingCall;
  /** Records a repair of the call that is being parsed, or else of the next one. */
  repair(rule: Rule, from: number, to: number): void;
  /** For blocks with several calls: the call just parsed began at `from` and ends here. */
  setRange(from: number): void;
}

/**
 * One syntax for tool calls in text. The declaration is complete: what the parser looks for, and what must be escaped
 * in file contents, are derived from it.
 */
export interface Dialect extends ResultFormat {
  readonly name: string;
  /** Could be prose: parsed only if it is the model's own dialect, or if that is unknown. */
  readonly ambiguous?: boolean;
  /** The markers that begin a call; `own` is true if the dialect is the model's. */
  openingMarkers(tools: ToolTable, own: boolean): readonly OpeningMarker[];
  /** Further markers that are tool names, e.g. a name where the opening marker is missing. */
  openingMarkersByName?(tools: ToolTable): readonly OpeningMarker[];
  /** Its opening and closing markers contain tool names, so they are built for each tool table. */
  readonly markersNameTools?: true;
  /**
   * True if the text after the opening marker (from `at`) proves that no call of this dialect begins and nothing of it
   * would be consumed: the result of `matches` and `parse`, at a fraction of their cost.
   */
  rulesOut?(text: string, at: number, openingMarker: OpeningMarker, tools: ToolTable): boolean;
  /** Looks ahead after the opening marker: is this a call of this dialect? Consumes nothing. */
  matches?(scan: Scanner, builder: CallBuilder): Step<boolean>;
  /**
   * Parses from after the opening marker to the end of the closing one. Returns a reasoning block that begins here,
   * 'frame' if the text held no call and is to be removed, or else nothing.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a generator that ends without a value
  parse(scan: Scanner, builder: CallBuilder): Step<ReasoningBlock | 'frame' | void>;
  /** Markers that end a call, a part of one or a block of calls. A surplus one after a call is removed. */
  closingMarkers?(tools: ToolTable): readonly string[];
  /** Markers inside a call that must be escaped in file contents. */
  readonly innerMarkers?: readonly string[];
  readonly reasoning?: readonly ReasoningBlock[];
  readonly frames?: readonly FrameMarker[];
  readonly template?: ChatTemplate;
  /** The prompt that lists the tools and explains how to call one. */
  renderToolPrompt(tools: ToolTable, shape: PromptShape): string;
  /** A past call, in the form in which the model would have written it. */
  renderCall(call: PastCall): string;
  /** False if this dialect cannot write the call so that parsing returns the same call. */
  canExpress?(call: PastCall, tool: Tool | undefined): boolean;
  /** Defined only if an unmistakable marker begins the call. */
  fence?(tool: Pick<Tool, 'name'>): Fence;
}
