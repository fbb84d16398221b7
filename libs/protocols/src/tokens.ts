import { yieldToOthers } from '@callsmith/stream';
import { type Folded, type Turn, textOf } from '@callsmith/turn';

/** Counts the tokens of a text, about. */
export type CountTokens = (text: string) => number;

/** Longer runs are cut before counting: byte pair merging is quadratic in a run, and texts are foreign. */
const longestRun = 128;

let loaded: Promise<CountTokens> | undefined;

/**
 * A tokenizer's count, for turns whose upstream tells none. Loaded at the first need (about half a second, 14 MB).
 * It is OpenAI's vocabulary, so for other models it is an estimate and has to be marked as one.
 */
export function tokenCounter(): Promise<CountTokens> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<CountTokens> {
  // Reading the vocabulary, arranging it and the first count each hold the event loop, so others get their turn between.
  await import('gpt-tokenizer/bpeRanks/o200k_base');
  await yieldToOthers();
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  await yieldToOthers();
  return (text) => countInRuns(text, (piece) => countTokens(piece, asText));
}

/** Special tokens in a text are text. */
const asText = { disallowedSpecial: new Set<string>() };

/** Counts a text whose long runs, of white space or of anything else, are cut. */
export function countInRuns(text: string, count: CountTokens): number {
  let tokens = 0;
  let from = 0;
  for (const run of text.matchAll(/\S{129,}|\s{129,}/g)) {
    tokens += count(text.slice(from, run.index));
    for (let at = 0; at < run[0].length; at += longestRun) tokens += count(run[0].slice(at, at + longestRun));
    from = run.index + run[0].length;
  }
  return tokens + count(text.slice(from));
}

/** About how many tokens a turn's prompt has: its text, its tools, and a frame of four for each message. */
export function promptTokens(turn: Turn, count: CountTokens): number {
  let tokens =
    turn.tools.size === 0 ? 0 : count(JSON.stringify(turn.tools.list.map(({ declared: _, ...tool }) => tool)));
  for (const message of turn.messages) {
    tokens += 4 + count(textOf(message.content));
    if (message.role !== 'assistant') continue;
    if (message.reasoning !== undefined) tokens += count(message.reasoning);
    for (const call of message.calls) tokens += 4 + count(call.name) + count(call.arguments);
  }
  return tokens;
}

/** About how many tokens an answer has. */
export function answerTokens(folded: Folded, count: CountTokens): number {
  let tokens = 0;
  for (const choice of folded.choices) {
    tokens += count(choice.reasoning) + count(choice.text);
    for (const call of choice.calls) if (call) tokens += 4 + count(call.name) + count(call.arguments);
  }
  return tokens;
}
