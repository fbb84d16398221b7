import type { ModelEntry } from '@callsmith/data/snapshot';
import type { Stage } from '@callsmith/stream';
import { type Dialect, dialectNamed, prepareTurn } from '@callsmith/toolcall';
import type { Note, StrategyUsed, Turn, TurnEvent, UpstreamEvent } from '@callsmith/turn';
import { parseResponse } from './parse-response.ts';

/** A turn as it goes upstream, and how its answer is to be read. */
export interface PreparedRequest {
  readonly turn: Turn;
  /** The dialect's name, for the transcript. */
  readonly dialect: string;
  /** Tokens that teaching the tools cost, estimated. */
  readonly injectedTokens: number | undefined;
  /** What was mended in the history. */
  readonly notes: readonly Note[];
  /** Parameters left out because of the strategy. */
  readonly dropped: readonly string[];
  /** What the model says, to what is understood of it. */
  readonly parse: (rules: { readonly proxyRules: boolean }) => Stage<UpstreamEvent, TurnEvent>;
}

/** Shapes a turn for a model and a strategy. Throws what is wrong with its history. */
export function prepareRequest(
  turn: Turn,
  model: ModelEntry,
  strategyUsed: StrategyUsed,
  place?: (message: number) => string,
): PreparedRequest {
  const dialect = dialectOf(model);
  const shaped = prepareTurn(turn, strategyUsed, dialect, {
    strictHistory: model.strictHistory.value,
    ...(place && { messagePath: place }),
  });
  const told =
    strategyUsed === 'prompt' && model.promptAddition
      ? withAddition(shaped.turn, model.promptAddition.value)
      : shaped.turn;
  return {
    turn: told,
    dialect: strategyUsed === 'prompt' ? dialect.name : model.dialect.value,
    injectedTokens: strategyUsed === 'prompt' && turn.tools.size > 0 ? injected(turn, told) : undefined,
    notes: shaped.notes,
    dropped: shaped.dropped,
    parse: ({ proxyRules }) =>
      parseResponse({
        turn,
        strategyUsed,
        dialect: strategyUsed === 'prompt' && model.dialect.value === 'auto' ? dialect.name : model.dialect.value,
        promptDialect: dialect,
        holdBytes: model.holdBytes.value,
        streamed: turn.stream,
        proxyRules,
        reasoningPrefilled: model.reasoningPrefilled?.value ?? false,
      }),
  };
}

/** The dialect in which a model is taught: its own, or the one that most models have seen. */
const dialectOf = (model: ModelEntry): Dialect => dialectNamed(model.dialect.value) ?? commonDialect;

const commonDialect = dialectNamed('hermes') as Dialect;

/** The model's own addition stands at the end of the system message, behind the tools. */
function withAddition(turn: Turn, addition: string): Turn {
  const [first, ...rest] = turn.messages;
  const lead = first?.role === 'system' && typeof first.content === 'string' ? first.content : undefined;
  return lead === undefined
    ? { ...turn, messages: [{ role: 'system', content: addition }, ...turn.messages] }
    : { ...turn, messages: [{ role: 'system', content: `${lead}\n\n${addition}` }, ...rest] };
}

/** About four characters are a token. */
function injected(before: Turn, after: Turn): number {
  const system = (turn: Turn): number => {
    const [first] = turn.messages;
    return first?.role === 'system' && typeof first.content === 'string' ? first.content.length : 0;
  };
  return Math.max(0, Math.round((system(after) - system(before)) / 4));
}
