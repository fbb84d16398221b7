import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { contentText } from './conversation.ts';

/** Text that every correction message contains. */
const again = /\bwrite the call again\b/i;

/** The messages without failed calls and their corrections at the end; and whether there were any. */
export function withoutCorrections(messages: JsonValue | undefined): {
  readonly messages: JsonObject[];
  readonly corrected: boolean;
} {
  const list = (Array.isArray(messages) ? messages : []).filter(isObject);
  let kept = list;
  for (let tail = lastAnswer(kept); tail !== undefined && isCorrection(kept.slice(tail + 1)); tail = lastAnswer(kept))
    kept = kept.slice(0, tail);
  return { messages: kept, corrected: kept.length < list.length };
}

const isCorrection = (after: readonly JsonObject[]): boolean =>
  after.some((message) => again.test(contentText(message.content)));

function lastAnswer(messages: readonly JsonObject[]): number | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  return at < 0 ? undefined : at;
}
