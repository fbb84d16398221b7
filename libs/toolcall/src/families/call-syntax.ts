import { isObject, type PastCall, parseJson, type Tool, type ToolTable } from '@callsmith/turn';
import type { CallBuilder, OpeningMarker } from '../dialect.ts';
import { quoted } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { isParameter, requiredNames } from '../finalize/tool-parameters.ts';
import { schemaMismatch } from '../finalize/validate-arguments.ts';
import { findOneOf, findPattern, wordPattern } from '../find.ts';
import { members } from '../json-members.ts';
import { JsonParser } from '../json-parser.ts';
import { OpenTools } from '../open-tools.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { longestWhole, parseWhole } from '../parse-whole.ts';
import type { Rule } from '../rules.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import { ArgumentsWriter } from './arguments-writer.ts';
import { bareArguments, takeBareArguments } from './bare-arguments.ts';
import { refuseSchema } from './echoed-schema.ts';
import { isOffered, withoutNamespace } from './json-calls.ts';

const nameChar = /[\w.:-]/;

/** `NAME(){…}`: the brackets belong to the name, and its arguments follow them. */
const argumentsBehind = /^\(\s*\)\s*(?:\{|\[(?:ARGS|CALL_ID)\])/;
const mayBeBehind = /^\((?:\s*(?:\)\s*(?:\[[A-Z_]{0,7})?)?)?$/;

/** The name before `(`, if a call comes next; consumes nothing. `call:` forms end with another bracket. */
export function* callAhead(scan: Scanner, open = '('): Step<string | undefined> {
  return yield* scan.look(512, (ahead, all) => {
    const name = /^\s*([A-Za-z_][\w.-]*)?\s*/.exec(ahead);
    const next = ahead[name?.[0].length ?? 0];
    if (next === undefined) return all ? undefined : unsure;
    if (next !== open) return undefined;
    const brackets = ahead.slice(name?.[0].length);
    if (open === '(' && argumentsBehind.test(brackets)) return undefined;
    return !all && mayBeBehind.test(brackets) ? unsure : name?.[1];
  });
}

/** How a dialect's calls differ from Python's. */
export interface CallSyntaxOptions {
  /** A delimiter of raw strings, e.g. Gemma's `<|"|>`. */
  readonly quote?: string;
  /** A colon may replace `=` after any key; else only after a parameter of the tool. */
  readonly colons?: boolean;
  /** Values may be unquoted, in a call that ends its line. */
  readonly bareValues?: boolean;
}

/** Parses `name(key=value, …)` from the name on. `ends` are markers that may end an unreadable call. */
export function* parseCallSyntax(
  scan: Scanner,
  builder: CallBuilder,
  ends: readonly string[],
  options: CallSyntaxOptions = {},
): Step<void> {
  yield* scan.space();
  const name = yield* scan.run(nameChar, 256);
  yield* scan.space();
  if (name === '' || !(yield* scan.takeText('('))) throw new ParseFailure('not-a-call');
  const call = builder.open(name.replace(/\.call$/, ''));
  scan.markUnlessMarked();
  const from = scan.offset;
  let count = 0;
  let positional = 0;
  for (;;) {
    yield* scan.space();
    if (yield* scan.takeText(',')) continue;
    if (yield* scan.takeText(')')) break;
    let key = yield* keyAhead(scan, call.tool, options);
    if (key === undefined) {
      if (count === 0 && !call.streaming && (yield* objectAhead(scan))) {
        const json = yield* takeArgumentsObject(scan, call);
        if (json !== undefined) return closeRewritten(call, json, 'positional-arguments');
      }
      key = positionalKey(call.tool, positional++);
      if (key === undefined) return yield* wrap(scan, call, from, ends, options);
      // what was already emitted must not depend on a guess
      if (call.streaming) throw new ParseFailure('broken');
      call.repair('positional-arguments', scan.offset, scan.offset);
    }
    if (!call.streaming && (yield* bareTextAhead(scan))) return yield* wrap(scan, call, from, ends, options);
    const begin = `${count++ === 0 ? '{' : ', '}${quoted(key)}: `;
    const nested = yield* callAhead(scan);
    if (nested !== undefined) {
      const source = yield* takeNestedCall(scan, call, key, builder.tools.get(nested) !== undefined);
      if (source === undefined) return yield* wrap(scan, call, from, ends, options);
      call.write(begin + quoted(source));
      continue;
    }
    call.write(begin);
    if (!(yield* parsePythonValue(scan, call, options))) return yield* wrap(scan, call, from, ends, options);
  }
  call.write(count === 0 ? '{}' : '}');
  if (count > 0) refuseSchema(call);
  call.close();
}

/** The opening markers of an unmarked list of calls; `rule`: the repair that this is in a dialect with markers. */
export function listOpeningMarkers(own: boolean, rule?: Rule): readonly OpeningMarker[] {
  const bare: OpeningMarker = { text: '', at: 'answer', rule: rule ?? 'open-wrapper' };
  // a list of calls is prose unless it is the model's own form, or at the answer's start
  if (!own) return [{ text: '[', at: 'answer' }, bare];
  const list = { text: '[', ...(rule && { rule }) };
  return [
    { ...list, at: 'line', ...(rule && { onlyAtEnd: 'behind-prose' as const }) },
    { ...list, at: 'answer', onlyAtEnd: 'always' },
    bare,
  ];
}

/**
 * True if calls begin as in `listOpeningMarkers`: with an offered name, or with any name if another in the list may be
 * on offer.
 */
export function* listAhead(scan: Scanner, builder: CallBuilder): Step<boolean> {
  const { text, at, rule } = builder.openingMarker;
  if (text === '' && !(builder.own && rule === 'open-wrapper')) return yield* offeredCallAhead(scan, builder.tools);
  const name = yield* callAhead(scan);
  if (name === undefined) return false;
  return isOffered(builder, name) || (text === '[' && at === 'answer' && !(builder.tools instanceof OpenTools));
}

const namespaces = ['functions.', 'default_api.'];

/** `NAME(` with a name on offer. */
const offeredCallAhead = (scan: Scanner, tools: ToolTable): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    if (tools instanceof OpenTools) return false;
    const [head, name] = /^([\w.-]*)[ \t]*/.exec(ahead) as unknown as [string, string];
    const bare = withoutNamespace(name);
    if (head.length < ahead.length) return ahead[head.length] === '(' && tools.get(bare) !== undefined;
    const mayBe =
      namespaces.some((one) => one.startsWith(name)) || tools.list.some((tool) => tool.name.startsWith(bare));
    return !all && mayBe ? unsure : false;
  });

/**
 * Parses `f(a=1, b="x"), g()` up to its end, or from after a bracket up to the closing one; another list may follow
 * directly. Text on a new line without a bracket is a call only if its name is on offer.
 */
export function* parseCallList(
  scan: Scanner,
  builder: CallBuilder,
  ends: readonly string[],
  bracket: boolean,
): Step<void> {
  let inside = bracket;
  for (;;) {
    yield* scan.space();
    const from = scan.offset;
    yield* parseCallSyntax(scan, builder, ends);
    builder.setRange(from);
    const parted = yield* takeSigns(scan);
    if (inside || bracket) {
      if (yield* takeBracket(scan, ']')) inside = false;
      if (!inside && (yield* listFollows(scan))) {
        yield* takeBracket(scan, '[');
        inside = true;
      }
      if (!inside) return;
    }
    const next = yield* callAhead(scan);
    if (next !== undefined && (inside || parted || isOffered(builder, next))) continue;
    if (inside) builder.repair('add-closers', scan.offset, scan.offset);
    return;
  }
}

/** Consumes commas and semicolons. */
function* takeSigns(scan: Scanner): Step<boolean> {
  let any = false;
  for (;;) {
    const next = yield* scan.afterSpace(1);
    if (next !== ',' && next !== ';') return any;
    yield* scan.space();
    scan.at++;
    any = true;
  }
}

function* takeBracket(scan: Scanner, bracket: string): Step<boolean> {
  if ((yield* scan.afterSpace(1)) !== bracket) return false;
  yield* scan.space();
  scan.at++;
  return true;
}

/** True if `[NAME(` follows a list. */
const listFollows = (scan: Scanner): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    const found = /^\s*\[\s*([A-Za-z_][\w.-]*)?\s*/.exec(ahead);
    if (!found) return !all && /^\s*$/.test(ahead) ? unsure : false;
    if (found[0].length === ahead.length) return all ? false : unsure;
    return found[1] !== undefined && ahead[found[0].length] === '(';
  });

/** Consumes `key=`; undefined if a value has no key. A parameter of the tool may have a colon. */
function* keyAhead(
  scan: Scanner,
  tool: Tool | undefined,
  { quote, colons }: CallSyntaxOptions,
): Step<string | undefined> {
  const ahead = yield* scan.ahead(80);
  const found = /^([A-Za-z_][\w-]*)\s*=(?!=)\s*/.exec(ahead) ?? colonKey(ahead, quote);
  if (!found || (found[0].includes(':') && !colons && !isParameter(tool, found[1] as string))) return undefined;
  scan.at += found[0].length;
  return found[1];
}

/** `key:`, `"key":` */
function colonKey(ahead: string, quote: string | undefined): RegExpExecArray | null {
  const delimiter = `(?:["']|${wordPattern(quote === undefined ? [] : [quote])})?`;
  return new RegExp(`^${delimiter}([A-Za-z_][\\w-]*)${delimiter}\\s*:\\s*`).exec(ahead);
}

/**
 * `f(expression=sqrt(2))`: consumes a call in place of a value, and returns its text if the parameter takes a string.
 * Undefined if the value is unknown: the parameter takes no string, or a tool's result was meant.
 */
function* takeNestedCall(scan: Scanner, call: PendingCall, key: string, isTool: boolean): Step<string | undefined> {
  if (isTool) return undefined;
  const types = new ArgumentsWriter(call).typesOf(key);
  if (types.size > 0 && !types.has('string')) return undefined;
  scan.markUnlessMarked();
  const from = scan.offset;
  yield* findOneOf(scan, ['(']);
  scan.at++;
  if (!(yield* takeBalanced(scan))) return undefined;
  const source = scan.since(from);
  const next = yield* scan.afterSpace(1);
  if (next === '') throw new ParseFailure('cut');
  if (next !== ',' && next !== ')') return undefined;
  call.repair('call-as-text', from, scan.offset);
  return source;
}

/** Characters that were scanned for unmatched brackets. */
const charactersScannedWithoutEnd = new WeakMap<Scanner, number>();
/** Beyond this total, closing brackets are no longer searched: each search runs to the end of the text. */
const mostScannedWithoutEnd = 64 * 1024;

/**
 * Advances from after an opening bracket to after its closing one, skipping strings and nested brackets; false if the
 * text ends first, or is too long.
 */
function* takeBalanced(scan: Scanner): Step<boolean> {
  const from = scan.offset;
  const before = charactersScannedWithoutEnd.get(scan) ?? 0;
  if (before > mostScannedWithoutEnd) return false;
  let closed = false;
  try {
    closed = yield* toClosingBracket(scan, from + longestWhole);
  } finally {
    // In `finally`, as a generator that waits for the end may be abandoned.
    if (!closed) charactersScannedWithoutEnd.set(scan, before + scan.offset - from);
  }
  return closed;
}

const bracketOrQuote = /\\?["'()[\]{}]/g;

function* toClosingBracket(scan: Scanner, last: number): Step<boolean> {
  let depth = 1;
  while (yield* findPattern(scan, bracketOrQuote, 2, last - scan.offset)) {
    const char = scan.text[scan.at] as string;
    if (char === '\\') {
      yield* scan.ahead(2);
      scan.at++;
      if (scan.text[scan.at] === '"' && !(yield* takeEscapedString(scan, last))) return false;
      continue;
    }
    if (char === '"' || char === "'") {
      if (!passString(scan, char, last) && !(yield* takeString(scan, char, last))) return false;
      continue;
    }
    scan.at++;
    depth += '([{'.includes(char) ? 1 : -1;
    if (depth === 0) return true;
  }
  return false;
}

/** Consumes a string with escaped quotes, `\"a \\\"b\\\" c\"`, from after the first backslash. */
function* takeEscapedString(scan: Scanner, last: number): Step<boolean> {
  scan.at++;
  while (yield* findOneOf(scan, ['\\'], last - scan.offset)) {
    scan.at++;
    if (yield* scan.takeText('"')) return true;
    // An escaped backslash; a quote that follows it is inside the string, too.
    const inside = (yield* scan.ahead(3)).startsWith('\\\\"') ? 3 : 1;
    scan.at = Math.min(scan.at + inside, scan.text.length);
  }
  return false;
}

/** Consumes a Python string. */
function* takeString(scan: Scanner, quote: string, last: number): Step<boolean> {
  const triple = quote.repeat(3);
  const end = (yield* scan.isAhead(triple)) ? triple : quote;
  scan.at += end.length;
  while (yield* findOneOf(scan, ['\\', end], last - scan.offset)) {
    if (scan.text[scan.at] !== '\\') {
      scan.at += end.length;
      return true;
    }
    yield* scan.ahead(2);
    scan.at = Math.min(scan.at + 2, scan.text.length);
  }
  return false;
}

/** Fast path of `takeString` for a short string without escapes that has arrived; false: nothing was consumed. */
function passString(scan: Scanner, quote: string, last: number): boolean {
  const { text, at } = scan;
  const end = text.indexOf(quote, at + 1);
  if (end <= at + 1 || end - at > longestPassed || scan.base + end >= last) return false;
  if (text.slice(at, end).includes('\\')) return false;
  scan.at = end + 1;
  return true;
}

const longestPassed = 1024;

/** `{` or, as Python unpacks an object, `**{`: the stars are consumed. */
function* objectAhead(scan: Scanner): Step<boolean> {
  if (yield* scan.isAhead('**{')) scan.at += 2;
  return yield* scan.isAhead('{');
}

/**
 * `f({a: 1})`: consumes the object and the bracket after it, if its members are parameters of the tool; else nothing.
 */
function* takeArgumentsObject(scan: Scanner, call: PendingCall): Step<string | undefined> {
  const from = scan.offset;
  if (yield* takeBalanced(scan)) {
    const inner = scan.since(from).slice(0, -1);
    const json = parseLooseJson(inner)?.json;
    const value = json === undefined ? undefined : parseWhole(json);
    if (isObject(value) && Object.keys(value).every((key) => isParameter(call.tool, key))) return json;
  }
  scan.back(scan.offset - from);
  return undefined;
}

/** True if no Python value begins here: a word that is no literal, a path, an escaped quote. */
const bareTextAhead = (scan: Scanner): Step<boolean> =>
  scan.look(80, (ahead, all) => {
    const [word] = /^[\p{L}_][\p{L}\p{N}_-]*/u.exec(ahead) ?? [];
    if (word === undefined) return /^[/~\\$@*&%^]/.test(ahead) || /^\.\.?[/\\]/.test(ahead);
    if (word.length === ahead.length) return all ? true : unsure;
    return !/^(?:true|false|null|none|nan|infinity|undefined)$/i.test(word) && !/^["'(]/.test(ahead.slice(word.length));
  });

/** The parameter at that position, if the tool's required ones come first. */
function positionalKey(tool: Tool | undefined, place: number): string | undefined {
  const properties = tool?.parameters?.properties;
  if (!isObject(properties)) return undefined;
  const keys = Object.keys(properties);
  const needed = requiredNames(tool);
  if (!keys.slice(0, needed.length).every((key) => needed.includes(key))) return undefined;
  return keys[place];
}

/** Parses a value; adjacent strings are one, as in Python. False if it is unreadable. */
function* parsePythonValue(scan: Scanner, call: PendingCall, { quote }: CallSyntaxOptions): Step<boolean> {
  let held = '';
  for (let first = true; ; first = false) {
    const value = new JsonParser(scan, {
      out: (json) => {
        // a string's closing quote is held, as another string may follow
        let text = held + (first || json[0] !== '"' || begun ? json : json.slice(1));
        begun = true;
        held = '';
        if (value.done && isString) {
          held = '"';
          text = text.slice(0, -1);
        }
        call.write(text);
        if (call.streaming) scan.unmark();
      },
      repair: (rule, start, end) => call.repair(rule, start, end),
      python: true,
      ...(quote !== undefined && { quote }),
    });
    let begun = false;
    const ahead = yield* scan.ahead(3);
    const isString = /^[rbuf]{0,2}["']/i.test(ahead);
    if (!(yield* scan.feedConsumer(value)) && !value.finishBare()) throw new ParseFailure('cut');
    if (value.broken) return false;
    const next = yield* scan.afterSpace(1);
    if (isString && (next === '"' || next === "'")) {
      yield* scan.space();
      held = '';
      continue;
    }
    if (held !== '') call.write(held);
    if (next === '') throw new ParseFailure('cut');
    return next === ',' || next === ')';
  }
}

/**
 * Emits the text between the brackets as `input`, if it is not of the form `key: value`; if they do not match, up to
 * the end of the block or line.
 */
function* wrap(
  scan: Scanner,
  call: PendingCall,
  from: number,
  ends: readonly string[],
  { bareValues }: CallSyntaxOptions,
): Step<void> {
  if (call.streaming) throw new ParseFailure('broken');
  scan.back(scan.offset - from);
  const line = bareValues ? yield* takeBareArguments(scan, call, from) : undefined;
  if (line !== undefined) return closeRewritten(call, line, 'quote-values');
  if (bareValues) scan.back(scan.offset - from);
  if (yield* takeBalanced(scan)) {
    const inner = scan.since(from).slice(0, -1).trim();
    const json = inner.length <= longestBare ? unquotedArguments(inner, call) : undefined;
    if (json !== undefined) return closeRewritten(call, json, 'quote-values');
    call.input = inner;
    call.close();
    return;
  }
  if (scan.cut) throw new ParseFailure('cut');
  scan.back(scan.offset - from);
  if (!(yield* findOneOf(scan, [...ends, ')\n', ')]', ')']))) throw new ParseFailure('cut');
  call.input = scan.since(from).trim();
  yield* scan.takeText(')');
  call.close();
}

/**
 * The arguments of `f(a=one, b=two)` and `f(a: \\"one\\")` as JSON; undefined: they are unreadable Python, and stay
 * unchanged.
 */
function unquotedArguments(inner: string, call: PendingCall): string | undefined {
  const unescaped = unescapedOnce(inner);
  if (unescaped !== undefined) return bareArguments(unescaped, call);
  if (/^["']?[A-Za-z_][\w-]*["']?\s*:/.test(inner)) return bareArguments(inner, call);
  const json = bareArguments(inner, call, isExpression);
  const schema = call.tool?.parameters;
  return json !== undefined && schema && schemaMismatch(json, schema) === undefined ? json : undefined;
}

/** Unescapes a text in which every quote follows a backslash, as inside a JSON string. */
function unescapedOnce(text: string): string | undefined {
  if (!text.includes('\\"') || /(?<!\\)(?:\\\\)*"/.test(text)) return undefined;
  const value = parseLooseJson(`"${text}"`)?.json;
  const inner = value === undefined ? undefined : parseJson(value);
  return typeof inner === 'string' ? inner : undefined;
}

/** True if Python may mean something other than the text: a variable named like the parameter, a sum, a list. */
const isExpression = (raw: string, key: string): boolean =>
  /^["'([{]|^[rbuf]["']|["']\s*[+%]|[+%]\s*["']/i.test(raw) ||
  (/^[A-Za-z_]\w*$/.test(raw) && raw.toLowerCase().includes(key.toLowerCase()));

/** Longest text that is parsed for unquoted values: after each of them the next name is searched. */
const longestBare = 16 * 1024;

function closeRewritten(call: PendingCall, json: string, rule: 'quote-values' | 'positional-arguments'): void {
  call.rewrite(json);
  call.repairWhole(rule);
  call.close();
}

/** A past call as `name(key=value, …)`, with Python's literals or JSON's. */
export function renderCallSyntax(call: PastCall, python: boolean): string {
  const json = call.arguments.trim();
  const args =
    json === '' || json[0] !== '{'
      ? ''
      : members(json)
          .map(({ key, from, to }) => `${key}=${python ? pythonLiteral(json.slice(from, to)) : json.slice(from, to)}`)
          .join(', ');
  return `${call.name}(${args})`;
}

/** JSON as a Python literal: only the keywords outside strings differ. */
function pythonLiteral(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) =>
    token === 'true' ? 'True' : token === 'false' ? 'False' : token === 'null' ? 'None' : token,
  );
}

/** True if all keys are identifiers, as call syntax requires. */
export function callSyntaxCanExpress(call: PastCall): boolean {
  const json = call.arguments.trim();
  if (json[0] !== '{' || /\\u|\\\//.test(json)) return false;
  const keys = members(json).map(({ key }) => key);
  return new Set(keys).size === keys.length && keys.every((key) => /^[A-Za-z_]\w*$/.test(key));
}
