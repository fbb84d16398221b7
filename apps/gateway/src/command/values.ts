import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { exitCodes, Refused } from './exit-codes.ts';

/** An option's whole number of at least 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(text);
}

/** A model server's URL, as given. */
export function serverUrl(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('It must be a URL such as http://gpu:8000.');
  return text;
}

/** An option that may be given several times. */
export const repeatable = (text: string, before: readonly string[] = []): string[] => [...before, text];

/**
 * The value of an argument like `name=value`: JSON if it parses, else text; `null` removes a declaration. A dot leads
 * into an object: `capabilities.tools=true`.
 */
export function assignments(words: readonly string[]): Record<string, unknown> {
  const change = emptyObject();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new Refused(`"${word}" must be like strategy=prompt.`, exitCodes.usage);
    const names = word.slice(0, at).split('.');
    const last = names.pop() as string;
    let object = change;
    for (const name of names) {
      object[name] ??= emptyObject();
      if (typeof object[name] !== 'object')
        throw new Refused(`"${word}": ${name} was given another value before.`, exitCodes.usage);
      object = object[name] as Record<string, unknown>;
    }
    object[last] = jsonOrText(word.slice(at + 1));
  }
  return change;
}

/** Without a prototype, so that `__proto__` is an ordinary name. */
const emptyObject = (): Record<string, unknown> => Object.create(null);

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A secret that a command gets by reference, so that it is not in the process list: from a variable or a file. */
export function secretFrom(
  { keyEnv, keyFile }: { readonly keyEnv?: string | undefined; readonly keyFile?: string | undefined },
  env: NodeJS.ProcessEnv,
): string | null {
  if (keyEnv !== undefined) {
    const value = env[keyEnv]?.trim();
    if (!value) throw new Refused(`The environment variable ${keyEnv} (--key-env) is not set.`);
    return value;
  }
  return keyFile === undefined ? null : textOf(keyFile).trim();
}

/** The text of a file, `-` for standard input. Throws `Refused` if it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Refused(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
