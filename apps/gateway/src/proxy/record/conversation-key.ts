import { hash } from 'node:crypto';
import { type Turn, textOf } from '@callsmith/turn';

/**
 * The same in every turn of a conversation: a hash of the key and the conversation's id if its client sent one, else of
 * the key, the system text and the first user text.
 */
export function conversationKey(keyId: string, turn: Turn, name?: string): string {
  if (name !== undefined) return hash('sha256', `${keyId}\0${name}`).slice(0, 32);
  let text = keyId;
  for (const role of ['system', 'developer', 'user'] as const) {
    const message = turn.messages.find((one) => one.role === role);
    text += `\0${message ? textOf(message.content) : ''}`;
  }
  return hash('sha256', text).slice(0, 32);
}
