import type { ToolTable } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import type { Tries } from './tries.ts';

/** What the text parser looks for. */
export interface TextParserOptions {
  readonly tools: ToolTable;
  /** The model's own dialect; undefined where none is known (`auto`). */
  readonly own: Dialect | undefined;
  /** Calls of other dialects count also where nothing marks them, as it is not certain which dialect the model speaks. */
  readonly unmarked: boolean;
  /** The model was seen to call natively or with markers: what nothing marks is no call behind prose. */
  readonly marksCalls: boolean;
  readonly dialects: readonly Dialect[];
  /** Calls in closed reasoning may be the answer where it has nothing else (D-45). */
  readonly promotes: boolean;
  /** The answer begins inside reasoning, as the prompt's template opened it. */
  readonly prefilled: boolean;
}

/** Set where a part of the text is parsed for calls that wait outside the answer. */
export interface TextPart {
  /** Where the part begins in the choice's raw text. */
  readonly from: number;
  /** What was tried in vain in such parts before it, where they count together. */
  readonly tries?: Tries;
}
