import { type Scanner, type Step, unsure } from '../scanner.ts';

/** Most blanks on either side of a tag's name. */
const mostBlanks = 2;

/**
 * The length of a closing tag at `at`, which may have blanks around its name: `</ parameter >`. 0 if there is none;
 * undefined if more text may complete one.
 */
export function closingTagAt(text: string, at: number, tag: string, ended: boolean): number | undefined {
  if (isOther(text, at, tag)) return 0;
  if (text.startsWith(tag, at)) return tag.length;
  const rest = text.length - at;
  const open = ended ? 0 : undefined;
  if (rest < tag.length && tag.startsWith(text.slice(at))) return open;
  if (!tag.startsWith('</') || text[at] !== '<') return 0;
  const slash = behindBlanks(text, at + 1);
  if (slash === text.length) return open;
  if (text[slash] !== '/') return 0;
  const name = tag.slice(2, -1);
  const from = behindBlanks(text, slash + 1);
  if (!text.startsWith(name, from))
    return text.length - from < name.length && name.startsWith(text.slice(from)) ? open : 0;
  const end = behindBlanks(text, from + name.length);
  if (end === text.length) return open;
  return text[end] === '>' ? end + 1 - at : 0;
}

/** Fast path: true if the first characters rule out the tag. */
function isOther(text: string, at: number, tag: string): boolean {
  if (at >= text.length) return false;
  if (text.charCodeAt(at) !== tag.charCodeAt(0)) return true;
  if (at + 2 >= text.length || text.charCodeAt(at + 1) !== slash) return false;
  const third = text.charCodeAt(at + 2);
  return third !== tag.charCodeAt(2) && third !== space && third !== tab;
}

const slash = 47;
const space = 32;
const tab = 9;

function behindBlanks(text: string, from: number): number {
  let at = from;
  while (at - from < mostBlanks && (text[at] === ' ' || text[at] === '\t')) at++;
  return at;
}

/** Consumes a closing tag if it comes next; `loose`: with blanks in it. */
export function* takeClosingTag(scan: Scanner, tag: string): Step<'usual' | 'loose' | undefined> {
  const length = yield* scan.look(
    tag.length + 3 * mostBlanks,
    (ahead, all) => closingTagAt(ahead, 0, tag, all) ?? unsure,
  );
  if (length === 0) return undefined;
  scan.at += length;
  return length === tag.length ? 'usual' : 'loose';
}
