import type { ToolTable } from '@callsmith/turn';
import type { Dialect } from '../dialect.ts';
import type { Tries } from './tries.ts';

/** What the text parser looks for. */
export interface TextParserOptions {
  readonly tools: ToolTable;
  /** The model's own dialect; undefined where none is known (`auto`). */
  readonly own: Dialect | undefined;
  /** Calls of other dialects count even without a marker, as the model's dialect is uncertain. */
  readonly unmarked: boolean;
  /** The model is known to call natively or with markers: after prose, text without a marker is not a call. */
  readonly marksCalls: boolean;
  readonly dialects: readonly Dialect[];
  /** Calls in closed reasoning may be the answer where it has nothing else (D-45). */
  readonly promotes: boolean;
  /** The answer begins inside reasoning, as the prompt's template opened it. */
  readonly prefilled: boolean;
}

/** A part of the text that is parsed for calls outside the answer. */
export interface TextPart {
  /** Start of the part in the choice's raw text. */
  readonly from: number;
  /** Failed attempts in earlier parts, if they are counted together. */
  readonly tries?: Tries;
}
