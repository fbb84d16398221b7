import { isDeeper, isObject, type JsonObject } from '@callsmith/turn';
import { parseOutput } from './parse-output.ts';

/** Clients send arguments back in the history, where a body may have at most 200 levels. */
const deepest = 150;

/**
 * A call's arguments for an API that requires an object; `undefined` if they are not one, are nested too deeply to be
 * sent back, or have too many members.
 */
export function argumentsObject(json: string): JsonObject | undefined {
  const parsed = parseOutput(json);
  return isObject(parsed) && !isDeeper(parsed, deepest) ? parsed : undefined;
}
