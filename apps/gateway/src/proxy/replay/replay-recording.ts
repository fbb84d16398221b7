import type { Recording, Reply } from '@callsmith/evaluate';
import { dialectFor } from '@callsmith/toolcall';
import type { BaseStrategy } from '@callsmith/turn';
import { reparse } from './reparse.ts';

/** How a recorded reply is replayed. */
export interface ReplayOptions {
  readonly strategy: BaseStrategy;
  /** A dialect's name, used as if declared; undefined: the dialect that the model's id maps to, or `auto`. */
  readonly dialect: string | undefined;
  /** The model's id, which maps to its dialect; empty: unknown. */
  readonly model: string;
  readonly streamed: boolean;
}

/**
 * Returns what a client of the gateway gets if an upstream sends a recorded reply: as a whole, or streamed in pieces of
 * 1 to 40 characters, which are the same each time. Rejects with a `Fault` for tools that the gateway refuses.
 */
export async function replayRecording(
  { id, tools, reply, cut }: Recording,
  { strategy, dialect, model, streamed }: ReplayOptions,
): Promise<Reply> {
  const sizes = pieceSizes(id);
  const { choices } = await reparse(
    {
      route: '/v1/chat/completions',
      model: model || 'recorded',
      strategyUsed: strategy,
      dialect: dialectFor(model)?.name ?? 'auto',
      streamed,
      errorCode: cut ? 'tool_call_truncated' : null,
      clientRequest: JSON.stringify({
        messages: [{ role: 'user', content: '…' }],
        ...(tools.length > 0 && { tools }),
      }),
      raw: [
        {
          choice: 0,
          text: reply.text,
          reasoning: reply.reasoning,
          cuts: streamed ? cutsOf(reply.text, sizes) : [],
          fragments: reply.calls.flatMap((call, index) => fragmentsOf(call, index, streamed ? sizes : undefined)),
        },
      ],
      delivered: [{ reason: reply.calls.length > 0 ? 'tool_calls' : 'stop' }],
      notes: [],
      settings: {},
    },
    dialect,
  );
  const [choice] = choices;
  return {
    text: choice?.text ?? '',
    reasoning: choice?.reasoning ?? '',
    calls: (choice?.calls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args })),
  };
}

/** A call as an upstream sends it: in one fragment, or its arguments in pieces. */
function fragmentsOf(call: Reply['calls'][number], index: number, sizes: (() => number) | undefined): object[] {
  const about = { index, id: `call_${index}`, name: call.name };
  if (sizes === undefined) return [{ ...about, arguments: call.arguments }];
  const cuts = [0, ...cutsOf(call.arguments, sizes), call.arguments.length];
  return [
    { ...about, arguments: '' },
    ...cuts.slice(1).map((end, at) => ({ index, arguments: call.arguments.slice(cuts[at], end) })),
  ];
}

/** The positions at which a text is cut into pieces. */
function cutsOf(text: string, sizes: () => number): number[] {
  const cuts: number[] = [];
  for (let at = sizes(); at < text.length; at += sizes()) cuts.push(at);
  return cuts;
}

/**
 * Pseudo-random sizes from 1 to 40, the same for the same seed: the linear congruential generator of Numerical Recipes.
 */
function pieceSizes(seed: string): () => number {
  let state = [...seed].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 32, 7);
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return 1 + (Math.floor(state / 2 ** 16) % 40);
  };
}
