import type { Follows } from '@callsmith/contracts';

/**
 * A custom form of secret, masked in addition to the built-in ones: a prefix, and how many characters of which kind
 * follow it. Not a regular expression: an admin's pattern is matched by linear code, which cannot hang (security 14).
 */
export interface OwnSecret {
  /** `mask_…`. */
  readonly id: string;
  readonly name: string;
  /** Case-sensitive. */
  readonly begins: string;
  readonly follows: Follows;
  /** At least this many characters follow; all following ones are masked. */
  readonly atLeast: number;
}

/** Name of the setting that holds them. */
export const OWN_SECRETS_NAME = 'redaction';

/** Maximum number of patterns, because each is searched for in everything that is stored. */
export const MOST_OWN_SECRETS = 20;

const MEMBERS: Readonly<Record<Exclude<Follows, 'nothing'>, (code: number) => boolean>> = {
  digits: isDigit,
  hex: (code) => isDigit(code) || isLetter(code, 'f'),
  'letters-digits': (code) => isDigit(code) || isLetter(code, 'z'),
  token: (code) => isDigit(code) || isLetter(code, 'z') || code === 0x2d || code === 0x5f,
  // Up to a space, a quote or a backslash, after which JSON continues.
  visible: (code) => code > 0x20 && code !== 0x22 && code !== 0x27 && code !== 0x5c,
};

/** Parses the stored patterns; invalid ones are left out. */
export function ownSecretsOf(stored: unknown): OwnSecret[] {
  const { own } = (typeof stored === 'object' && stored !== null ? stored : {}) as { own?: unknown };
  return Array.isArray(own) ? own.filter(isOwnSecret).slice(0, MOST_OWN_SECRETS) : [];
}

function isOwnSecret(value: unknown): value is OwnSecret {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, begins, follows, atLeast } = value as Record<string, unknown>;
  return (
    [id, name, begins].every((word) => typeof word === 'string' && word !== '') &&
    (follows === 'nothing' || Object.hasOwn(MEMBERS, String(follows))) &&
    typeof atLeast === 'number'
  );
}

/** Masks in `masked` the custom secrets of `text`; both have and keep the same length (D-29). Linear in the text. */
export function maskOwnSecrets(text: string, masked: string, secrets: readonly OwnSecret[]): string {
  return secrets.reduce((so, secret) => maskRanges(so, rangesOf(text, secret)), masked);
}

type Range = readonly [from: number, to: number];

function rangesOf(text: string, { begins, follows, atLeast }: OwnSecret): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(begins); at !== -1; ) {
    const behind = at + begins.length;
    const end = follows === 'nothing' ? behind : endOf(text, behind, MEMBERS[follows]);
    const whole = end - behind >= atLeast;
    if (whole) ranges.push([at, end]);
    // A match that begins later but before `end` is followed by fewer: no character is examined twice.
    at = text.indexOf(begins, whole ? end : Math.max(at + 1, end - begins.length + 1));
  }
  return ranges;
}

function endOf(text: string, from: number, member: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && member(text.charCodeAt(at))) at++;
  return at;
}

function maskRanges(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  let out = '';
  let done = 0;
  for (const [from, to] of ranges) {
    out += text.slice(done, from) + '•'.repeat(to - from);
    done = to;
  }
  return out + text.slice(done);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A letter from `a` to `last`, in either case. */
function isLetter(code: number, last: 'f' | 'z'): boolean {
  const small = code | 0x20;
  return small >= 0x61 && small <= last.charCodeAt(0);
}
