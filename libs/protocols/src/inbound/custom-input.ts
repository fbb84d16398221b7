import { isObject, parseJson } from '@callsmith/turn';

/** The text for a free-text tool: the one string that the model was asked for, else all its output. */
export function customInput(args: string): string {
  const parsed = parseJson(args);
  return isObject(parsed) && typeof parsed.input === 'string' ? parsed.input : args;
}
