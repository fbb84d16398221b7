import { isObject, parseJson } from '@callsmith/turn';

/** The text that a free-text tool is to get: the one string that the model was asked for, else all it gave. */
export function customInput(args: string): string {
  const parsed = parseJson(args);
  return isObject(parsed) && typeof parsed.input === 'string' ? parsed.input : args;
}
