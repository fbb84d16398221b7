import { isObject, parseJson, type Tool } from '@callsmith/turn';
import type { PendingCall } from './pending-call.ts';

/** An object whose first key is `input`. */
const inputFirst = /^\s*\{\s*"input"\s*:/;
/** Three words or more, from a capital letter to the end of a sentence. */
const sentence = /^\s*\p{Lu}\S*\s+\S+\s[\s\S]*[.!?:…]\s*$/u;

/** Characters of arguments; longer ones are a file's content, and matching them would take a while. */
const longestProse = 64 * 1024;

/** True if arguments begin with `input` although their tool declares parameters, and none of that name. */
export const beginsWithInput = (json: string, tool: Tool | undefined): boolean =>
  inputFirst.test(json) && !mayTakeInput(tool);

/**
 * True if arguments may be only prose: under an `input` that the tool does not declare, or a sentence that was taken
 * for its only required parameter.
 */
export function mayBeProseAlone(json: string, { tool, repairs }: PendingCall): boolean {
  const guessed = repairs.some(({ rule }) => rule === 'sole-parameter');
  if (json.length > longestProse || (!guessed && !beginsWithInput(json, tool))) return false;
  const value = parseJson(json);
  if (!isObject(value)) return false;
  const [only, ...others] = Object.values(value);
  return others.length === 0 && (!guessed || (typeof only === 'string' && sentence.test(only)));
}

function mayTakeInput(tool: Tool | undefined): boolean {
  const { properties, additionalProperties, patternProperties } = tool?.parameters ?? {};
  if (!isObject(properties) || Object.hasOwn(properties, 'input')) return true;
  return patternProperties !== undefined || additionalProperties === true || isObject(additionalProperties);
}
