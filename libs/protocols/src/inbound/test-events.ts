import { Fault, type FinishReason, type JsonObject, type TurnEvent } from '@callsmith/turn';

/** Limits of a request that no test reaches unless it means to. */
export const limits = { maxDepth: 64, maxMessages: 1000, maxTools: 128 };

/** The event that begins a response. */
export const start: TurnEvent = { type: 'turn-start', choice: 0, id: 'up', model: 'up', createdAt: 1 };

export const text = (piece: string, choice = 0): TurnEvent => ({ type: 'text-delta', choice, text: piece });
export const reasoning = (piece: string): TurnEvent => ({ type: 'reasoning-delta', choice: 0, text: piece });

/** The events of a call of the tool `look`, its arguments in two pieces. */
export const call = (index: number, json: string, whole = true): TurnEvent[] => [
  { type: 'tool-start', choice: 0, index, id: `call_${index}`, name: 'look' },
  { type: 'tool-delta', choice: 0, index, json: json.slice(0, 3) },
  { type: 'tool-delta', choice: 0, index, json: json.slice(3) },
  { type: 'tool-end', choice: 0, index, whole },
];

/** What a model server counted: 30 tokens of the prompt, 20 of them cached, and 12 of the response. */
export const usage: TurnEvent = {
  type: 'usage',
  choice: 0,
  inputTokens: 30,
  outputTokens: 12,
  cachedTokens: 20,
  source: 'upstream',
};

/** The event that ends a choice. */
export const end = (
  reason: FinishReason,
  more: { readonly choice?: number; readonly extra?: JsonObject } = {},
): TurnEvent => ({
  type: 'turn-end',
  choice: 0,
  reason,
  ...more,
});

/** The fault that `parse` throws. Throws if it throws none, or another error. */
export function faultOf(parse: () => unknown): Fault {
  try {
    parse();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
