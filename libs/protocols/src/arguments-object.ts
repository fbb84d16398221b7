import { isDeeper, isObject, type JsonObject, parseExactJson } from '@callsmith/turn';

/** Clients send arguments back in the history, where a body may have at most 200 levels. */
const deepest = 150;

/**
 * A call's arguments for an API that requires an object; `undefined` if they are not one, or are nested too deeply to
 * be sent back.
 */
export function argumentsObject(json: string): JsonObject | undefined {
  const parsed = parseExactJson(json);
  return isObject(parsed) && !isDeeper(parsed, deepest) ? parsed : undefined;
}
