import { runSync } from '@callsmith/stream';
import { type Finding, type FinishReason, fold, type ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { parseCalls } from './parse-calls.ts';

/** A model's complete answer, to be parsed for calls. */
export interface TextToParse {
  readonly text: string;
  readonly tools: ToolTable;
  /** A dialect's name, or `auto`. */
  readonly dialect: string;
  /**
   * False: the dialect was not configured by hand, so what is recognized for `auto` is recognized as well (D-33).
   * Default true.
   */
  readonly dialectDeclared?: boolean;
  /** The model is known to call natively or with markers. See `ParseCallsOptions`. */
  readonly marksCalls?: boolean;
  /** How the text is split before parsing: into pieces of n characters, at these offsets, or not at all. */
  readonly chunk: number | readonly number[] | 'whole';
  readonly finishReason: FinishReason;
  readonly holdBytes?: number | null;
  readonly reasoningPrefilled?: boolean;
}

/** The result of parsing. */
export interface ParsedText {
  readonly content: string | null;
  readonly reasoning: string | null;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly notes: readonly Finding[];
  readonly finishReason: FinishReason;
}

/** Parses a complete text, split as requested, exactly as a stream of it would be parsed. */
export function parseText(input: TextToParse): ParsedText {
  const stage = parseCalls({
    tools: input.tools,
    dialect: input.dialect,
    dialectDeclared: input.dialectDeclared ?? true,
    marksCalls: input.marksCalls ?? false,
    strategyUsed: 'prompt',
    holdBytes: input.holdBytes ?? null,
    toolChoice: 'auto',
    parallel: true,
    reasoningPrefilled: input.reasoningPrefilled ?? false,
  });
  const { out } = runSync(stage, events(input));
  const choice = fold(out).choices[0];
  return {
    content: choice?.text || null,
    reasoning: choice?.reasoning || null,
    toolCalls: (choice?.calls ?? []).map((call) => ({ name: call.name, arguments: call.arguments })),
    notes: choice?.notes ?? [],
    finishReason: choice?.reason ?? 'stop',
  };
}

function* events({ text, chunk, finishReason }: TextToParse): Generator<UpstreamEvent> {
  for (const piece of cut(text, chunk)) yield { type: 'text-delta', choice: 0, text: piece };
  yield { type: 'turn-end', choice: 0, reason: finishReason };
}

function* cut(text: string, chunk: TextToParse['chunk']): Generator<string> {
  if (chunk === 'whole') {
    yield text;
    return;
  }
  if (typeof chunk === 'number') {
    const size = Math.max(1, Math.floor(chunk));
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
    return;
  }
  let from = 0;
  for (const at of chunk) {
    yield text.slice(from, at);
    from = at;
  }
  yield text.slice(from);
}
