import type { ModelEntry } from '@callsmith/data';
import type { ReadOptions } from '@callsmith/toolcall';
import type { StrategyUsed, Turn } from '@callsmith/turn';
import type { Target } from '@callsmith/wires';

/** A turn as it goes upstream, and how its answer is to be read. */
export interface Shaped {
  readonly turn: Turn;
  readonly dialect: string;
  /** Tokens that teaching the tools cost, estimated. */
  readonly injectedTokens: number | undefined;
  readonly read: (proxyRules: boolean) => ReadOptions;
}

export function shape(turn: Turn, model: ModelEntry, _target: Target, strategyUsed: StrategyUsed): Shaped {
  const dialect = model.dialect.value;
  return {
    turn,
    dialect,
    injectedTokens: undefined,
    read: (proxyRules) => ({
      tools: turn.tools,
      dialect,
      strategyUsed,
      holdBytes: proxyRules ? null : model.holdBytes.value,
      toolChoice: turn.toolChoice,
      parallel: turn.parallel,
      proxyRules,
    }),
  };
}
