import type { ReasoningBlock } from '../dialect.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { wordPattern } from '../find.ts';
import type { Step } from '../scanner.ts';
import type { ParserState } from './parser-state.ts';
import { SpeculativeParser } from './speculative-parser.ts';

/**
 * Emits what the model reasons, up to the block's end. A call in it is parsed speculatively, and counts only if the block
 * never closes:
 *
 *     <think>Perhaps <tool_call>…</tool_call>?</think>No.    reasoning, then text
 *     <think>I look. <tool_call>…</tool_call>                reasoning, then a call
 *
 * What was found in a block that closes is told, for an answer that has nothing else (D-45).
 */
export function* parseReasoning(state: ParserState, block: ReasoningBlock): Step<void> {
  const { scan, output, part } = state;
  state.hasReasoning = true;
  const speculative = part
    ? undefined
    : new SpeculativeParser(output, state.partParser, scan.offset, state.options.promotes, state.triesInReasoning);
  const { closes, longest, pattern } = endsOf(block);
  for (;;) {
    pattern.lastIndex = scan.at;
    const close = pattern.exec(scan.text);
    const piece = state.take((close?.index ?? emittableTo(state, closes, longest)) - scan.at);
    if (piece !== '') {
      output.emitReasoning(piece);
      speculative?.push(piece);
    }
    if (close) {
      speculative?.close();
      if (block.closes.includes(close[0])) scan.at += close[0].length;
      yield* state.skipWhitespace();
      state.lineStart = true;
      return;
    }
    if (!(yield* scan.more())) {
      if (speculative) state.calls += speculative.finish(scan.cut);
      return;
    }
  }
}

interface BlockEnds {
  readonly closes: readonly string[];
  /** Characters of the longest of them. */
  readonly longest: number;
  readonly pattern: RegExp;
}

const ends = new WeakMap<ReasoningBlock, BlockEnds>();

/** What ends a block, made once for each: an answer may have thousands of them. */
function endsOf(block: ReasoningBlock): BlockEnds {
  const known = ends.get(block);
  if (known) return known;
  const closes = [...block.closes, ...(block.endsBefore ?? [])];
  const made = {
    closes,
    longest: Math.max(...closes.map((close) => close.length)),
    pattern: new RegExp(wordPattern(closes), 'g'),
  };
  ends.set(block, made);
  return made;
}

/** The block that a prompt's template opens. */
export const promptBlock = ({ options }: ParserState): ReasoningBlock => options.own?.reasoning?.[0] ?? thinkBlock;

/** "…</think>" although nothing opened it: the prompt did. The tag is left out where it stands as a tag. */
export function* dropLoneClose(state: ParserState, length: number): Step<boolean> {
  const { scan } = state;
  if (state.hasReasoning) return false;
  const behind = (yield* scan.ahead(length + 1)).slice(length);
  if (!state.lineStart && behind !== '' && behind !== '\n' && behind !== '<' && behind !== '\r') return false;
  state.hasReasoning = true;
  scan.at += length;
  state.output.note('lone-reasoning-close', [scan.offset - length, scan.offset]);
  yield* state.skipWhitespace();
  return true;
}

/** The index up to which no closing marker may have begun. */
function emittableTo({ scan }: ParserState, closes: readonly string[], longest: number): number {
  const { text, at, ended } = scan;
  if (ended) return text.length;
  for (let length = Math.min(longest - 1, text.length - at); length > 0; length--) {
    const tail = text.slice(text.length - length);
    if (closes.some((close) => close.length > length && close.startsWith(tail))) return text.length - length;
  }
  return text.length;
}
