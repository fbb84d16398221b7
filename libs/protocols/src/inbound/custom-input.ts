import { isObject } from '@callsmith/turn';
import { parseOutput } from '../parse-output.ts';

/** The text for a free-text tool: the one string that the model was asked for, else all its output. */
export function customInput(args: string): string {
  const parsed = parseOutput(args);
  return isObject(parsed) && typeof parsed.input === 'string' ? parsed.input : args;
}
