import { type Scanner, type Step, unsure } from '../scanner.ts';
import { chatTemplates } from './chat-templates.ts';

/** So many tokens may stand one behind the other: `<|im_end|><|endoftext|>`. */
const mostTokens = 2;
/** Characters of white space before and between them. */
const mostSpace = 64;
/** Characters in which one looks for them. */
const longest = 512;

/** So many first characters tell most other texts from tokens. */
const beginning = 3;

/** Tokens by their first characters; where fewer of these are there, they have no tokens. */
type Tokens = ReadonlyMap<string, readonly string[]>;

/** By a character's lower eight bits: 0 where no token has it as its third. */
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
 * True if the turn ends at `at`: with nothing but turn-end tokens up to the end of the text, or (`orNext`) with a token
 * that begins somebody else's turn. Undefined if more text decides.
 *
 *     </arg_value>⏎<|im_end|>         ends
 *     </arg_value>⏎<|user|>Thanks…    ends, with `orNext`
 *     </arg_value>⏎<|im_end|> is …    goes on
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

/** The length of the token that stands at `at`; 0 if none does; undefined if more text may make one. */
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

/** True if the turn ends here; takes nothing. */
export const turnEndAhead = (scan: Scanner): Step<boolean> =>
  scan.look(longest, (ahead) => turnEndsAt(ahead, 0, scan.ended || ahead.length === longest, true) ?? unsure);
