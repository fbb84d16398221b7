import { Fault, isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { faultIn } from '../to-fault.ts';

/** A whole response as a `chat.completion`. Throws `upstream_invalid_answer`, or the error it contains. */
export function readCompletion(whole: JsonValue): JsonObject & { choices: JsonValue[] } {
  if (!isObject(whole))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response that is not a JSON object.');
  const fault = faultIn(whole);
  if (fault) throw fault;
  const { choices } = whole;
  if (!Array.isArray(choices))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response without `choices`.');
  return whole as JsonObject & { choices: JsonValue[] };
}
