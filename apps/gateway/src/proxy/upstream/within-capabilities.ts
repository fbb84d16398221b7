import type { ModelEntry } from '@callsmith/data/snapshot';
import { type Message, ToolTable, type Turn } from '@callsmith/turn';

/** What a model supports, as declared by an admin or reported by its server. */
export type Capabilities = NonNullable<ModelEntry['capabilities']>;

/** A turn fitted to a model's capabilities. */
export interface FittedTurn {
  readonly turn: Turn;
  /** Parameters that were left out. */
  readonly dropped: readonly string[];
}

/**
 * Removes from a turn what its model is known not to support: `strict` of tools without constrained arguments; parallel
 * calls if it makes one call at a time. Past parallel calls are then split into a message each, as the chat templates
 * of such models refuse several (Llama 3: "This model only supports single tool-calls").
 */
export function withinCapabilities(turn: Turn, { parallel, strict }: Capabilities): FittedTurn {
  const asksStrict = strict === false && turn.tools.list.some((tool) => tool.strict !== undefined);
  const tools = asksStrict ? new ToolTable(turn.tools.list.map(({ strict: _, ...tool }) => tool)) : turn.tools;
  const single = parallel === false && (turn.tools.size > 0 || turn.messages.some(hasSeveralCalls));
  if (!single) return { turn: asksStrict ? { ...turn, tools } : turn, dropped: asksStrict ? ['strict'] : [] };
  const messages = turn.messages.some(hasSeveralCalls) ? oneCallPerMessage(turn.messages) : turn.messages;
  return { turn: { ...turn, tools, messages, parallel: false }, dropped: asksStrict ? ['strict'] : [] };
}

const hasSeveralCalls = (message: Message): boolean => message.role === 'assistant' && message.calls.length > 1;

/** Splits messages with several calls: each call gets a message of its own, followed by its result. */
export function oneCallPerMessage(messages: readonly Message[]): Message[] {
  const single: Message[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as Message;
    if (message.role !== 'assistant' || message.calls.length < 2) {
      single.push(message);
      continue;
    }
    const results: Message[] = [];
    while (messages[at + 1]?.role === 'tool') results.push(messages[++at] as Message);
    for (const [position, call] of message.calls.entries()) {
      single.push(position === 0 ? { ...message, calls: [call] } : { role: 'assistant', content: null, calls: [call] });
      for (const result of results) if (result.role === 'tool' && result.callId === call.id) single.push(result);
    }
  }
  return single;
}
