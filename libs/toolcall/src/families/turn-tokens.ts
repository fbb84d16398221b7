import { type Scanner, type Step, unsure } from '../scanner.ts';
import { chatTemplates } from './chat-templates.ts';

/** Most tokens in succession: `<|im_end|><|endoftext|>`. */
const mostTokens = 2;
/** Characters of white space before and between them. */
const mostSpace = 64;
/** Characters in which they are looked for. */
const longest = 512;

/** This many first characters distinguish most other text from tokens. */
const beginning = 3;

/** Tokens by their first characters; shorter prefixes are present, with no tokens. */
type Tokens = ReadonlyMap<string, readonly string[]>;

/** By a character's lower eight bits: 0 if no token has it as its third character. */
const thirds = new Uint8Array(256);

function byBeginning(tokens: readonly string[]): Tokens {
  const groups = new Map<string, string[]>();
  for (const token of new Set(tokens)) {
    for (let length = 1; length < beginning; length++) groups.set(token.slice(0, length), []);
    const begin = token.slice(0, beginning);
    thirds[token.charCodeAt(2) & 255] = 1;
    groups.set(begin, [...(groups.get(begin) ?? []), token]);
  }
  return groups;
}

const ends = byBeginning(chatTemplates.flatMap(({ turnEnds }) => turnEnds));
const starts = byBeginning(chatTemplates.flatMap(({ turnStarts = [] }) => turnStarts));

/**
 * True if the turn ends at `at`: with only turn-end tokens up to the end of the text, or (`orNext`) with a token that
 * begins another role's turn. Undefined if more text is needed.
 *
 *     </arg_value>⏎<|im_end|>         ends
 *     </arg_value>⏎<|user|>Thanks…    ends, with `orNext`
 *     </arg_value>⏎<|im_end|> is …    continues
 */
export function turnEndsAt(text: string, at: number, ended: boolean, orNext: boolean): boolean | undefined {
  let to = at;
  for (let tokens = 0; tokens < mostTokens; tokens++) {
    const length = tokenAt(ends, text, to, ended);
    if (length === undefined) return undefined;
    if (length === 0) {
      const next = orNext ? tokenAt(starts, text, to, ended) : 0;
      return next === undefined ? undefined : next > 0;
    }
    to = behindSpace(text, to + length);
    if (to === text.length) return ended ? true : undefined;
  }
  return false;
}

/** The length of the token at `at`; 0 if there is none; undefined if more text may complete one. */
function tokenAt(tokens: Tokens, text: string, at: number, ended: boolean): number | undefined {
  if (at === text.length) return ended ? 0 : undefined;
  if (at + 2 < text.length && thirds[text.charCodeAt(at + 2) & 255] === 0) return 0;
  const group = tokens.get(text.slice(at, at + beginning));
  if (!group) return 0;
  let open = !ended && text.length - at < beginning;
  for (const token of group) {
    if (text.startsWith(token, at)) return token.length;
    open ||= !ended && text.length - at < token.length && token.startsWith(text.slice(at));
  }
  return open ? undefined : 0;
}

function behindSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && at - from < mostSpace && /\s/.test(text[at] as string)) at++;
  return at;
}

/** True if the turn ends here; consumes nothing. */
export const turnEndAhead = (scan: Scanner): Step<boolean> =>
  scan.look(longest, (ahead) => turnEndsAt(ahead, 0, scan.ended || ahead.length === longest, true) ?? unsure);
