import type { ModelEntry } from '@callsmith/data';
import { Fault, type Message, type PastCall, type Turn, textOf } from '@callsmith/turn';

/** So many same calls with the same result, one after the other, are a loop. */
const loopLength = 10;

/**
 * Stops a conversation that has used all the calls its model allows, and one whose model makes the same call with the
 * same result again and again. Throws `tool_call_limit` or `repeated_tool_call`.
 */
export function checkConversation(turn: Turn, { name, toolCallLimit }: ModelEntry): void {
  const calls = turn.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  if (toolCallLimit !== undefined && calls.length >= toolCallLimit)
    throw new Fault(
      'tool_call_limit',
      `This conversation holds ${calls.length} tool calls; ${name} allows ${toolCallLimit}. Begin a new conversation, or raise the limit on the Models page.`,
      { param: 'messages' },
    );
  const repeated = calls.at(-1);
  if (repeated === undefined || calls.length < loopLength) return;
  if (repeats(calls.slice(-loopLength), turn.messages))
    throw new Fault(
      'repeated_tool_call',
      `The model has called ${repeated.name} ${loopLength} times in a row with the same arguments and got the same result. Tell it what to do instead, or begin a new conversation.`,
      { param: 'messages' },
    );
}

function repeats(calls: readonly PastCall[], messages: readonly Message[]): boolean {
  const [first, ...rest] = calls as [PastCall, ...PastCall[]];
  if (rest.some((call) => call.name !== first.name || call.arguments !== first.arguments)) return false;
  const results = new Map<string, string>();
  for (const message of messages) if (message.role === 'tool') results.set(message.callId, textOf(message.content));
  const result = results.get(first.id);
  return result !== undefined && rest.every((call) => results.get(call.id) === result);
}
