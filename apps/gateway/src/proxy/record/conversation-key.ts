import { hash } from 'node:crypto';
import { type Turn, textOf } from '@callsmith/turn';

/** Hash of key, system text and first user text: the same in every turn of a conversation. */
export function conversationKey(keyId: string, turn: Turn): string {
  let said = keyId;
  for (const role of ['system', 'developer', 'user'] as const) {
    const message = turn.messages.find((one) => one.role === role);
    said += `\0${message ? textOf(message.content) : ''}`;
  }
  return hash('sha256', said).slice(0, 32);
}
