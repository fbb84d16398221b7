/** Longest path that Windows allows by default; no more text than this is waited for. */
const longestPath = 260;

const driveBefore = /(?:^|[^\p{L}\p{N}_])[A-Za-z]:$/u;
const gapBefore = /(?:^|[\s"'`=(,;[])$/;
const serverName = /^\\\\[\w.$-]{2,}(\\|$)/;
const pathEnd = /[\s"'`]/;
const jsonEscape = /^\\(?:["\\/bfnrt']|u[\da-fA-F]{4})/;
const pythonEscape = /^\\(?:["\\bfnrt'av\n0-7]|u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2})/;

/** What the first backslash of a path implies for all backslashes in it. */
export interface WindowsPath {
  /** Index after the path. */
  readonly end: number;
  /** One of its escapes is invalid, so all its backslashes are literal. */
  readonly literal: boolean;
}

// "C:\Users\neo\test"   "copy \\host\share\docs ."
//    ^ preceded by a drive     ^ followed by a server's name and another backslash
/**
 * The Windows path whose first backslash is at `at` in a string's text; `before` is the end of the text before it.
 * Undefined if none begins here, 'unsure' if more text is needed.
 */
export function windowsPathAt(
  text: string,
  at: number,
  before: string,
  ended: boolean,
  python: boolean,
): WindowsPath | 'unsure' | undefined {
  if (!driveBefore.test(before)) {
    if (!gapBefore.test(before)) return undefined;
    const start = text.slice(at, at + 64);
    const name = serverName.exec(start);
    if (!name) return start.length < 4 && !ended && /^\\(?:\\[\w.$-]?)?$/.test(start) ? 'unsure' : undefined;
    if (name[1] === '') return ended || start.length === 64 ? undefined : 'unsure';
  }
  const validEscape = python ? pythonEscape : jsonEscape;
  let literal = false;
  let end = at;
  while (end < text.length && end - at < longestPath && !pathEnd.test(text[end] as string)) {
    if (text[end] !== '\\') end++;
    else if (text.length - end < 10 && !ended && !/[\s"'`]/.test(text.slice(end))) return 'unsure';
    else if (/^["'`]/.test(text.slice(end + 1, end + 2))) break;
    else {
      const found = validEscape.exec(text.slice(end, end + 10));
      if (!found) literal = true;
      end += found?.[0].length ?? 1;
    }
  }
  return end >= text.length && end - at < longestPath && !ended ? 'unsure' : { end, literal };
}
