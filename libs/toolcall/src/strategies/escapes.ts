import { runSteps } from '../steps.ts';

/** Escapes that are processed in one step. */
const stepEscapes = 20_000;

/**
 * JSON text whose strings have no escape that could hide a marker: `\/` and `\u003c` become the characters they mean.
 * Quotes, backslashes, control characters and lone surrogates stay escaped. The value is the same.
 */
export const plainEscapes = (json: string): string => runSteps(plainEscapesInSteps(json));

/** `plainEscapes` in steps of at most a few milliseconds. */
export function* plainEscapesInSteps(json: string): Generator<undefined, string> {
  const steps: string[] = [];
  let out: string[] = [];
  let copied = 0;
  let count = 0;
  for (let at = json.indexOf('\\'); at >= 0; ) {
    count += 1;
    if (count % stepEscapes === 0) {
      steps.push(out.join(''));
      out = [];
      yield;
    }
    const kind = json.charAt(at + 1);
    const hex = kind === 'u' ? json.slice(at + 2, at + 6) : '';
    const plain = kind === '/' ? '/' : kind === 'u' ? plainCharacter(hex) : undefined;
    const behind = at + (plain !== undefined && kind === 'u' ? 6 : 2);
    if (plain !== undefined) {
      out.push(json.slice(copied, at), plain);
      copied = behind;
    }
    at = json.indexOf('\\', behind);
  }
  if (copied === 0) return json;
  steps.push(...out, json.slice(copied));
  return steps.join('');
}

/** The character with this hexadecimal code; undefined if it must stay escaped or the code is invalid. */
function plainCharacter(hex: string): string | undefined {
  if (!/^[0-9a-fA-F]{4}$/.test(hex)) return undefined;
  const code = Number.parseInt(hex, 16);
  const stays = code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff);
  return stays ? undefined : String.fromCharCode(code);
}
