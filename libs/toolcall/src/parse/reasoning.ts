import type { ReasoningBlock } from '../dialect.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { wordPattern } from '../find.ts';
import { type Consumer, isBlankCode, runWhole, type Step } from '../scanner.ts';
import type { ParserState } from './parser-state.ts';
import { SpeculativeParser } from './speculative-parser.ts';

/**
 * Emits the reasoning, up to the block's end. A call in it is parsed speculatively, and counts only if the block never
 * closes:
 *
 *     <think>Perhaps <tool_call>…</tool_call>?</think>No.    reasoning, then text
 *     <think>I look. <tool_call>…</tool_call>                reasoning, then a call
 *
 * Calls in a block that closes are reported, for an answer that has nothing else (D-45).
 */
export function* parseReasoning(state: ParserState, block: ReasoningBlock): Step<void> {
  const { scan, output, part } = state;
  state.hasReasoning = true;
  const speculative = part
    ? undefined
    : new SpeculativeParser(output, state.partParser, scan.offset, state.options.promotes, state.triesInReasoning);
  const reasoning = new ReasoningText(endsOf(block), (piece) => {
    output.emitReasoning(piece);
    speculative?.push(piece);
  });
  if (yield* scan.feedConsumer(reasoning)) {
    speculative?.close();
    if (block.closes.includes(reasoning.close)) scan.at += reasoning.close.length;
    yield* state.skipWhitespace();
    state.lineStart = true;
  } else if (speculative) state.calls += speculative.finish(scan.cut);
}

/**
 * Emits the reasoning behind a marker that ends at `at`, if all of the block and a visible character behind it have
 * arrived; else false, with nothing consumed.
 */
export function passWholeReasoning(state: ParserState, at: number, block: ReasoningBlock): boolean {
  const { text } = state.scan;
  const { pattern } = endsOf(block);
  pattern.lastIndex = at;
  if (!pattern.test(text)) return false;
  let behind = pattern.lastIndex;
  while (behind < text.length && isBlankCode(text.charCodeAt(behind))) behind++;
  if (behind === text.length) return false;
  state.scan.at = at;
  runWhole(parseReasoning(state, block));
  return true;
}

/** Consumes text up to the end of its block. */
class ReasoningText implements Consumer {
  done = false;
  /** The marker that ends it. */
  close = '';

  constructor(
    private readonly ends: BlockEnds,
    private readonly emit: (piece: string) => void,
  ) {}

  consume(text: string, from: number, ended: boolean): number {
    const { pattern } = this.ends;
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    const to = found?.index ?? (ended ? text.length : this.emittableTo(text, from));
    if (found) {
      this.done = true;
      this.close = found[0];
    }
    if (to > from) this.emit(text.slice(from, to));
    return to;
  }

  /** The index before which no closing marker can have begun. */
  private emittableTo(text: string, from: number): number {
    const { closes, firsts, longest } = this.ends;
    for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++)
      if (firsts.has(text.charCodeAt(at)) && closes.some((close) => close.startsWith(text.slice(at)))) return at;
    return text.length;
  }
}

interface BlockEnds {
  readonly closes: readonly string[];
  /** The codes of their first characters. */
  readonly firsts: ReadonlySet<number>;
  /** Characters of the longest of them. */
  readonly longest: number;
  readonly pattern: RegExp;
}

const ends = new WeakMap<ReasoningBlock, BlockEnds>();

/** The markers that end a block, computed once: an answer may have thousands of blocks. */
function endsOf(block: ReasoningBlock): BlockEnds {
  const cached = ends.get(block);
  if (cached) return cached;
  const closes = [...block.closes, ...(block.endsBefore ?? [])];
  const made = {
    closes,
    firsts: new Set(closes.map((close) => close.charCodeAt(0))),
    longest: Math.max(...closes.map((close) => close.length)),
    pattern: new RegExp(wordPattern(closes), 'g'),
  };
  ends.set(block, made);
  return made;
}

/** The block that a prompt's template opens. */
export const promptBlock = ({ options }: ParserState): ReasoningBlock => options.own?.reasoning?.[0] ?? thinkBlock;

/** "…</think>" without an opening tag: the prompt opened it. It is removed if its position is that of a tag. */
export function* dropLoneClose(state: ParserState, length: number): Step<boolean> {
  const { scan } = state;
  if (state.hasReasoning) return false;
  const behind = (yield* scan.ahead(length + 1)).slice(length);
  if (!state.lineStart && behind !== '' && !mayFollowClose(behind)) return false;
  state.hasReasoning = true;
  scan.at += length;
  state.output.note('lone-reasoning-close', [scan.offset - length, scan.offset]);
  yield* state.skipWhitespace();
  return true;
}

/** True for a character that may stand behind a lone closing tag in the middle of a line: prose does not go on there. */
export const mayFollowClose = (char: string): boolean => char === '\n' || char === '\r' || char === '<';
