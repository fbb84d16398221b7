import { isDeeper, isObject, type JsonObject, parseExactJson } from '@callsmith/turn';

/** Clients send arguments back in the history, where a body may have 200 levels. */
const deepest = 150;

/** A call's arguments for an API that wants them as an object; `undefined` where they are none, or could not come back. */
export function argumentsObject(json: string): JsonObject | undefined {
  const parsed = parseExactJson(json);
  return isObject(parsed) && !isDeeper(parsed, deepest) ? parsed : undefined;
}
