import type { ArgumentStyle, PastCall, Tool, ToolTable } from '@callsmith/turn';
import type { PendingCall } from './finalize/pending-call.ts';
import type { Rule } from './rules.ts';
import type { Scanner, Step } from './scanner.ts';

/** A tool result as the model is to see it. */
export interface PastResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

/** Where a marker counts: anywhere in the text, at a line's start, at the answer's start, or directly in a code fence. */
export type MarkerPosition = 'anywhere' | 'line' | 'answer' | 'fence';

/** A marker behind which a call may begin. */
export interface OpeningMarker {
  /** The marker itself; '' where the dialect's `matches` alone decides, at that position. */
  readonly text: string;
  readonly at: MarkerPosition;
  /** Could be prose: it counts only where the dialect is the model's own, or where none is known to be. */
  readonly ambiguous?: boolean;
  /** Could be prose: in other dialects than its own it begins a call only where the call's name is on offer. */
  readonly onlyWithOfferedName?: boolean;
  /** The repair that beginning a call so is. */
  readonly rule?: Rule;
  /**
   * Its calls count only where no prose follows them and one of them has a name on offer: `always`, or where visible text
   * stands before them (`behind-prose`).
   */
  readonly onlyAtEnd?: 'always' | 'behind-prose';
  /** It begins a call only where no call stands before it: there it means something else. */
  readonly onlyFirst?: boolean;
}

/** A marker that only frames text, e.g. Cohere's `<|START_RESPONSE|>`. In its own dialect it is left out. */
export interface FrameMarker {
  readonly text: string;
  readonly at: 'anywhere' | 'line';
  /**
   * What it is for models of other dialects. Absent: text. `beside-call`: left out where nothing but white space stands
   * between it and a call, else text. `unmistakable`: that, and left out wherever no dialect is known to be the model's.
   */
  readonly elsewhere?: 'beside-call' | 'unmistakable';
}

/** A marker that begins a tool's result. A model that writes one behind its call invents a result. */
export interface ResultMarker {
  readonly text: string;
  readonly at: 'anywhere' | 'line';
  /** What stands behind it where it is a result, if the marker alone could be prose; at most 160 characters of it. */
  readonly behind?: RegExp;
  /** Counts only with nothing but white space between it and the call. */
  readonly directly?: boolean;
  /** Could be prose: where its dialect is not the model's it counts only directly behind a call of its dialect. */
  readonly ambiguous?: boolean;
}

/** How tool results look: what the model is shown, and by which markers an invented one is known. */
export interface ResultFormat {
  /** A tool's result, as the model expects to see it. */
  renderResult(result: PastResult): string;
  readonly resultMarkers: readonly ResultMarker[];
  /** Markers behind the result, which must not act in a file's text. */
  readonly resultEnds?: readonly string[];
}

/** The tokens by which a chat template parts turns. */
export interface ChatTemplate {
  /** Tokens that begin a turn of somebody else; a model that writes one behind its call has gone on too far. */
  readonly turnStarts?: readonly string[];
  /** Tokens that end a turn; a server may leave them at the end of the text. */
  readonly turnEnds: readonly string[];
  /** Any others, which must not act in a file's text. */
  readonly others?: readonly string[];
}

/** How an engine can be held to this dialect when a call begins: the arguments stand between `begin` and `end`. */
export interface Fence {
  /** What `begin` begins with: from there on the engine is held. It must not be prose, or prose would force a call. */
  readonly trigger: string;
  readonly begin: string;
  readonly end: string;
  /** How the arguments are written. */
  readonly style: ArgumentStyle;
}

/** What of a model its tool prompt heeds. */
export interface PromptShape {
  /** False: it makes one call at a time, and is told nothing of several. */
  readonly parallel?: boolean;
  /** It says no more than a call needs. */
  readonly short?: boolean;
}

/** Markers between which a model reasons. */
export interface ReasoningBlock {
  readonly open: string;
  readonly closes: readonly string[];
  readonly at: 'anywhere' | 'line' | 'answer';
  /** Where it counts for models of other dialects; absent: nowhere, as it could be prose. */
  readonly elsewhere?: 'anywhere' | 'line';
  /** The prompt may open it, so that the answer begins inside and holds its closing marker alone. */
  readonly openedByPrompt?: boolean;
  /** Closing markers that are not taken, as they open what follows. */
  readonly endsBefore?: readonly string[];
}

/** What a grammar tells of the calls that it reads. */
export interface CallBuilder {
  readonly tools: ToolTable;
  readonly openingMarker: OpeningMarker;
  /** The dialect is the model's own, not one that is parsed beside it. */
  readonly own: boolean;
  /** Begins a call. The arguments follow by `write`. */
  open(name: string): PendingCall;
  /** Notes a repair of the call that is being read, or of the next one. */
  repair(rule: Rule, from: number, to: number): void;
  /** Where several calls may stand in one block: the one that has just been read began at `from` and ends here. */
  setRange(from: number): void;
}

/**
 * One way to write calls in text. All that is known of it stands in its declaration: what the parser looks for, and what
 * must not act in a file's text, follow from it.
 */
export interface Dialect extends ResultFormat {
  readonly name: string;
  /** Could be prose: parsed only where it is the model's own dialect, or where none is known to be. */
  readonly ambiguous?: boolean;
  /** What begins a call; `own` is true where the dialect is the model's. */
  openingMarkers(tools: ToolTable, own: boolean): readonly OpeningMarker[];
  /** What else begins a call by the name of a tool, such as a name in the place of a marker that is missing. */
  openingMarkersByName?(tools: ToolTable): readonly OpeningMarker[];
  /** Its opening and closing markers hold names of the tools, so they are made anew for each table. */
  readonly markersNameTools?: true;
  /**
   * True if it is certain, by the text that is there behind the opening marker (at `at`), that no call of this dialect
   * begins and that nothing of it would be taken: what `matches` and `parse` would find too, at a fraction of the cost.
   */
  rulesOut?(text: string, at: number, openingMarker: OpeningMarker, tools: ToolTable): boolean;
  /** Looks ahead from behind the opening marker: is this a call of this dialect? Takes nothing. */
  matches?(scan: Scanner, builder: CallBuilder): Step<boolean>;
  /**
   * Reads from behind the opening marker to the end of the closing one. Answers with a reasoning block that begins here,
   * with 'frame' where what was read holds no call and is to be left out, else with nothing.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a generator that ends without a value
  parse(scan: Scanner, builder: CallBuilder): Step<ReasoningBlock | 'frame' | void>;
  /** Markers that end a call, a part of one or a block of calls. One that is left over behind a call is left out. */
  closingMarkers?(tools: ToolTable): readonly string[];
  /** Markers inside a call that must not act in a file's text. */
  readonly innerMarkers?: readonly string[];
  readonly reasoning?: readonly ReasoningBlock[];
  readonly frames?: readonly FrameMarker[];
  readonly template?: ChatTemplate;
  /** The prompt that shows a model the tools and how to call one. */
  renderToolPrompt(tools: ToolTable, shape: PromptShape): string;
  /** A past call, as the model would have written it. */
  renderCall(call: PastCall): string;
  /** False for a call that this dialect cannot write so that it is read back the same. */
  canExpress?(call: PastCall, tool: Tool | undefined): boolean;
  /** Only where an unmistakable marker begins the call. */
  fence?(tool: Pick<Tool, 'name'>): Fence;
}
