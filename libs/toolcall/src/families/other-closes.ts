import type { Tool } from '@callsmith/turn';
import { type Scanner, type Step, unsure } from '../scanner.ts';

/**
 * Closing tags that models write instead of a dialect's own, from the inner to the outer ones: `</param>⏎</read_file>`.
 * As file contents may hold such tags, they count only before the dialect's own tags, and if the value opened none of
 * that name: after file contents the dialect's own closing tag follows.
 */
export interface OtherCloses {
  /** Lower-case names of the tags that close the value, then the call, then the block. */
  readonly levels: readonly ReadonlySet<string>[];
  /** The dialect's own tags, one of which must follow. */
  readonly follow: readonly string[];
  /** The name of the value's own closing tag: without its slash, `<parameter>` closes as well. */
  readonly own: string;
  /** The dialect's tags have a prefix that models omit: tags without it are treated as its own. */
  readonly prefixed: boolean;
}

const valueNames: ReadonlySet<string> = new Set(
  'parameter parameters parameter_name param params argument arg arg_value arg_key value string'.split(' '),
);
const callNames: ReadonlySet<string> = new Set('invoke function function_call call tool'.split(' '));
const blockNames: ReadonlySet<string> = new Set('function_calls tool_call tool_calls tools functions'.split(' '));

/** A tag up to its name: `</NAME`, `<\/NAME`, `</PREFIX:NAME`, `<｜PREFIX｜NAME`. */
const head = /<(\\?\/[ \t]{0,2})?(?:[|｜]\w{1,16}[|｜] ?|\w{1,16}:)?([A-Za-z_][\w.-]{0,63})/y;
const begunHead = /^<(?:\\?(?:\/[ \t]{0,2})?)?(?:[|｜]?\w{0,16}[|｜:]? ?)?$/;
const longestHead = 32;
/** The text after its name: it has no attributes, and its `>` may be missing before the next tag. */
const tail = /(=[\w.-]{0,64})?[ \t]{0,2}(>|(?=\s{0,64}<)|(?=[\s=]))/y;
const begunTail = /^(?:=[\w.-]{0,64})?\s{0,66}$/;
const longestTag = 256;

interface Tag {
  readonly name: string;
  readonly length: number;
  readonly closes: boolean;
  /** It has nothing but its name between brackets. */
  readonly bare: boolean;
}

/** The other tags that may close a value of this parameter. */
export const otherCloses = (
  tool: Tool | undefined,
  parameter: string,
  own: string,
  follow: readonly string[],
  prefixed: boolean,
): OtherCloses => ({
  levels: [
    new Set([...valueNames, parameter.toLowerCase()]),
    tool ? new Set([...callNames, tool.name.toLowerCase()]) : callNames,
    blockNames,
  ],
  follow,
  own: own.replace(/^<\/(?:[|｜]\w+[|｜] ?|\w+:)?|>$/g, ''),
  prefixed,
});

/** The tag at `at` if its name is known; undefined if more text is needed. */
export function tagAt(
  text: string,
  at: number,
  ended: boolean,
  isKnown: (name: string) => boolean,
): Tag | 'none' | undefined {
  const rest = text.length - at;
  if (rest > 1 && !/[\w/\\|｜]/.test(text[at + 1] as string)) return 'none';
  const plain = plainTagAt(text, at, isKnown);
  if (plain) return plain;
  // The name may still begin or continue, and what looks like one may turn out to be its prefix.
  if (!ended && rest < longestHead && begunHead.test(text.slice(at))) return undefined;
  head.lastIndex = at;
  const begun = head.exec(text);
  if (!begun) return 'none';
  const behind = at + begun[0].length;
  if (behind === text.length && !ended) return undefined;
  const name = (begun[2] as string).toLowerCase();
  if (!isKnown(name)) return 'none';
  if (!ended && rest < longestTag && begunTail.test(text.slice(behind))) return undefined;
  tail.lastIndex = behind;
  const found = tail.exec(text);
  if (!found) return 'none';
  const [taken, key, end] = found;
  const to = behind + taken.length;
  return {
    name,
    length: to - at,
    closes: begun[1] !== undefined && (end === '>' || /^\s*</.test(text.slice(to, to + 66))),
    bare: key === undefined && end === '>',
  };
}

/** Fast path for `<NAME>` and `</NAME>`, nearly all tags; undefined for other forms. */
function plainTagAt(text: string, at: number, isKnown: (name: string) => boolean): Tag | 'none' | undefined {
  const closes = text[at + 1] === '/';
  const from = at + (closes ? 2 : 1);
  let to = from;
  while (to < text.length && to - from < longestPlain && isLetter(text.charCodeAt(to))) to++;
  if (to === from || text[to] !== '>') return undefined;
  const name = text.slice(from, to).toLowerCase();
  return isKnown(name) ? { name, length: to + 1 - at, closes, bare: true } : 'none';
}

const longestPlain = 64;

/** ASCII letters and `_`. */
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;

/** The level that a tag of this name closes: 0 the value; -1 nothing. */
export const levelOf = ({ levels }: OtherCloses, name: string): number => levels.findIndex((names) => names.has(name));

/** Between parameters: consumes such a closing tag; returns what it closes. */
export function* takeOtherCloser(scan: Scanner, tool: Tool | undefined): Step<'value' | 'call' | undefined> {
  const isCall = (name: string): boolean =>
    callNames.has(name) || blockNames.has(name) || name === tool?.name.toLowerCase();
  const isKnown = (name: string): boolean => valueNames.has(name) || isCall(name);
  const found = yield* scan.look(longestTag, (ahead, all) => {
    const next = ahead[0] === '<' ? tagAt(ahead, 0, all, isKnown) : 'none';
    return next === undefined ? unsure : next;
  });
  if (found === 'none' || !found.closes) return undefined;
  scan.at += found.length;
  return isCall(found.name) ? 'call' : 'value';
}
