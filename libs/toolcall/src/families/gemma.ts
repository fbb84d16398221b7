import { isObject, type JsonObject, type JsonValue, type PastCall } from '@callsmith/turn';
import type { CallBuilder, Dialect, OpeningMarker, ResultFormat } from '../dialect.ts';
import { quoted } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { allowedTypes, itemSchema, type JsonType } from '../finalize/schema.ts';
import { findOneOf, wordPattern } from '../find.ts';
import { members } from '../json-members.ts';
import { escapedQuote } from '../json-parser.ts';
import { parseLooseJson, parseWithRepairedQuotes } from '../parse-loose-json.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import { parseArguments } from './arguments.ts';
import { jsonFromRaw } from './arguments-writer.ts';
import { callAhead, parseCallSyntax } from './call-syntax.ts';
import { gemmaTemplate } from './chat-templates.ts';
import { codeCallAhead, codeFences, parseCodeCalls } from './code-calls.ts';
import { refuseSchema } from './echoed-schema.ts';
import { parseClosingMarker, parseJsonCalls } from './json-calls.ts';
import { dropClosers } from './named-arguments.ts';
import { example, toolPrompt } from './tool-prompt.ts';

/** A dialect of `call:NAME{key:value}` with its own string delimiters. */
export interface GemmaDialect {
  readonly name: string;
  readonly open: string;
  readonly close: string;
  /** Delimits strings. */
  readonly quote: string;
  readonly reasoning?: Dialect['reasoning'];
  /** Fences in which the model also writes its calls as code. */
  readonly codeFences?: readonly string[];
  readonly result: ResultFormat;
}

/** Makes a dialect of Gemma's family. */
export function gemma(of: GemmaDialect): Dialect {
  const write = (call: PastCall): string =>
    `${of.open}call:${call.name}${gemmaValue(call.arguments.trim() || '{}', of.quote)}${of.close}`;
  const stripped: OpeningMarker = { text: 'call:', at: 'answer', rule: 'restore-markers', ambiguous: true };
  const isFence = ({ openingMarker }: CallBuilder): boolean => openingMarker.text.startsWith('```');
  const isStripped = (builder: CallBuilder): boolean => builder.openingMarker.text === stripped.text;
  return {
    name: of.name,
    openingMarkers: (_tools, own) => [
      { text: of.open, at: 'anywhere' },
      stripped,
      ...(own ? codeFences(of.codeFences ?? [], false) : []),
    ],
    closingMarkers: () => [of.close],
    template: gemmaTemplate,
    ...(of.reasoning && { reasoning: of.reasoning }),
    *matches(scan, builder) {
      if (isFence(builder)) return yield* codeCallAhead(scan, builder);
      const ahead = yield* scan.ahead(96);
      if (isStripped(builder)) return builder.tools.get(/^([\w.-]+)\{/.exec(ahead)?.[1] ?? '') !== undefined;
      if (jsonBegins.test(ahead)) return true;
      const head = callBegins.exec(ahead);
      return head !== null && (head[1] !== undefined || builder.tools.get(head[2] as string) !== undefined);
    },
    *parse(scan, builder) {
      if (isFence(builder)) return yield* parseCodeCalls(scan, builder);
      if (isStripped(builder)) return yield* parseStripped(scan, builder, of.quote);
      yield* scan.space();
      if (jsonBegins.test(yield* scan.ahead(96)))
        yield* parseJsonCalls(scan, builder, { ...jsonShape, closingMarkers: [of.close], quote: of.quote });
      else {
        do {
          yield* scan.space();
          const from = scan.offset;
          yield* parseOneCall(scan, builder, of);
          builder.setRange(from);
        } while (yield* takeSeparator(scan));
      }
      yield* parseClosingMarker(scan, builder, [of.close]);
    },
    renderToolPrompt: (tools, shape) =>
      toolPrompt(tools, shape, write(example), [
        `Put every string between ${of.quote} and ${of.quote}, as it is, without escaping.`,
      ]),
    renderCall: write,
    ...of.result,
    canExpress: (call) => {
      if (
        [of.quote, escapedQuote(of.quote)].some((quote) => call.arguments.includes(quote)) ||
        /\\u|\\\//.test(call.arguments) ||
        call.arguments.trim()[0] !== '{'
      )
        return false;
      const keys = members(call.arguments).map(({ key }) => key);
      return new Set(keys).size === keys.length && !/"(?:[^"\\]|\\.)*[^\w"](?:[^"\\]|\\.)*"\s*:/.test(call.arguments);
    },
    fence: (tool) => ({ trigger: of.open, begin: `${of.open}call:${tool.name}`, end: of.close, style: 'json' }),
  };
}

/** JSON as Gemma writes it: unquoted keys, strings between quote markers. */
function gemmaValue(json: string, quote: string): string {
  if (json[0] === '{')
    return `{${members(json)
      .map(({ key, from, to }) => `${key}:${gemmaValue(json.slice(from, to), quote)}`)
      .join(',')}}`;
  if (json[0] === '[')
    return `[${members(json)
      .map(({ from, to }) => gemmaValue(json.slice(from, to), quote))
      .join(',')}]`;
  return json[0] === '"' ? `${quote}${JSON.parse(json) as string}${quote}` : json;
}

/** `call:NAME{`, `call:NAME(`; without `call:` the name must be on offer. */
const callBegins = /^\s*(call:\s*)?([\w.-]+)\s*[{(]/;
/** A call as JSON. */
const jsonBegins = /^\s*[[{]\s*[{"]/;
const jsonShape = { nameKey: 'name', argumentsKey: 'arguments' };

/** Parses `call:NAME{…}` or `call:NAME(…)`. */
export function* parseOneCall(
  scan: Scanner,
  builder: CallBuilder,
  { open, close, quote }: Pick<GemmaDialect, 'open' | 'close' | 'quote'>,
): Step<void> {
  yield* scan.takeText('call:');
  yield* scan.space();
  if ((yield* callAhead(scan)) !== undefined) {
    yield* parseCallSyntax(scan, builder, [close], { quote, colons: true });
    return;
  }
  const name = (yield* scan.run(/[^{]/, 256)).trim();
  const call = builder.open(name);
  if ((yield* scan.peek()) === '') throw new ParseFailure('cut');
  yield* parseArguments(scan, call, [close], {
    quote,
    bareKeys: true,
    bareStrings: true,
    parseInstead: (again, of) => parseLooseObject(again, of, quote, [close, open]),
  });
  yield* dropClosers(scan, builder);
  refuseSchema(call);
  call.close();
}

/** Consumes the separator of two calls in one block, if another call follows. */
function* takeSeparator(scan: Scanner): Step<boolean> {
  const separator = yield* scan.look(96, (ahead, all) => {
    const found = /^\s*(?:[,;]\s*)?(?=call:\s*[\w.-]+\s*[{(])/.exec(ahead)?.[0];
    return found ?? (!all && mayBeCall.test(ahead) ? unsure : undefined);
  });
  if (separator !== undefined) scan.at += separator.length;
  return separator !== undefined;
}

/** A prefix of another call, before its bracket. */
const mayBeCall = /^\s*(?:[,;]\s*)?(?:c|ca|cal|call|call:\s*(?:[\w.-]+\s*)?)?$/;

/**
 * Parses `{key:text, n:20}` again from its bracket on, with values without delimiters. It ends before a closing marker,
 * another call, or the end.
 */
function* parseLooseObject(scan: Scanner, call: PendingCall, quote: string, closes: readonly string[]): Step<boolean> {
  const from = scan.offset;
  if ((yield* scan.peek()) !== '{') return false;
  for (;;) {
    if (!(yield* findOneOf(scan, [quote, '}']))) throw new ParseFailure('cut');
    if (yield* scan.takeText(quote)) {
      if (!(yield* findOneOf(scan, [quote]))) throw new ParseFailure('cut');
      yield* scan.takeText(quote);
      continue;
    }
    scan.at++;
    if (yield* endsHere(scan, closes)) break;
  }
  const raw = scan.since(from);
  const repaired = /^\{\s*"/.test(raw) ? parseWithRepairedQuotes(raw, call.tool, false)?.json : undefined;
  const json = repaired ?? bareMembers(raw, call.tool?.parameters, quote);
  if (json === undefined) return false;
  call.repair(repaired === undefined ? 'restore-markers' : 'escape-inner-quotes', from, scan.offset);
  call.rewrite(json);
  return true;
}

/** True if the call is over after this bracket. */
const endsHere = (scan: Scanner, closes: readonly string[]): Step<boolean> =>
  scan.look(96, (ahead, all) => {
    const behind = ahead.trimStart();
    if (behind === '') return all ? !scan.cut : unsure;
    if (closes.some((close) => behind.startsWith(close)) || /^(?:[,;]\s*)?call:\s*[\w.-]+\s*[{(]/.test(behind))
      return true;
    return !all && (closes.some((close) => close.startsWith(behind)) || mayBeCall.test(behind)) ? unsure : false;
  });

/** `call:NAME{key:text,n:20}`: markers and quotes were stripped. The call ends at the `}` that closes it. */
function* parseStripped(scan: Scanner, builder: CallBuilder, quote: string): Step<void> {
  let begin = scan.offset;
  for (;;) {
    const name = yield* scan.run(/[^{]/, 256);
    const call = builder.open(name);
    call.wholeOnly = true;
    scan.markUnlessMarked();
    const from = scan.offset;
    if (!(yield* toClosingBrace(scan))) throw new ParseFailure('cut');
    const raw = scan.since(from);
    const quotes = raw.includes(quote) ? raw : raw.replaceAll(escapedQuote(quote), quote);
    const json = bareMembers(quotes, call.tool?.parameters, quote);
    if (json === undefined) call.input = raw;
    else call.rewrite(json);
    call.close();
    builder.setRange(begin);
    const next = /^\s*call:([\w.-]+)\{/.exec(yield* scan.ahead(96));
    if (!next || builder.tools.get(next[1] as string) === undefined) return;
    yield* scan.space();
    begin = scan.offset;
    yield* scan.takeText('call:');
  }
}

function* toClosingBrace(scan: Scanner): Step<boolean> {
  let depth = 0;
  for (;;) {
    while (scan.at < scan.text.length) {
      const char = scan.text[scan.at++];
      if (char === '{') depth++;
      else if (char === '}' && --depth === 0) return true;
    }
    if (!(yield* scan.more())) return false;
  }
}

/**
 * `{key:text,n:20}` with values without delimiters, split at the keys of the schema. Some values may be between the
 * dialect's own `quote`. Undefined if it is not such an object.
 */
function bareMembers(raw: string, schema: JsonObject | undefined, quote?: string, root = schema): string | undefined {
  if (raw[0] !== '{' || !raw.endsWith('}')) return undefined;
  const inner = raw.slice(1, -1);
  if (inner.trim() === '') return '{}';
  const properties = isObject(schema?.properties) ? schema.properties : undefined;
  const starts: { key: string; at: number; value: number }[] = [];
  for (const found of blanked(inner, quote).matchAll(/(^|,)\s*["']?([A-Za-z_][\w-]*)["']?\s*:/g)) {
    const key = found[2] as string;
    if (properties ? Object.hasOwn(properties, key) && !starts.some((one) => one.key === key) : true) {
      starts.push({ key, at: found.index, value: found.index + found[0].length });
    }
  }
  if (starts[0]?.at !== 0) return undefined;
  const members = starts.map(({ key, value }, place) => {
    const text = inner.slice(value, starts[place + 1]?.at ?? inner.length);
    return `${quoted(key)}: ${bareValue(text, properties?.[key], root, quote)}`;
  });
  return `{${members.join(', ')}}`;
}

/** The same text with blanks in place of quoted strings; of quoted keys, only the quotes are blanked. */
function blanked(text: string, quote: string | undefined): string {
  if (quote === undefined) return text;
  const part = wordPattern([quote]);
  const blank = (found: string): string => ' '.repeat(found.length);
  return text.replace(new RegExp(`${part}([\\s\\S]*?)${part}(\\s*:)?`, 'g'), (found, inner: string, colon?: string) =>
    colon === undefined ? blank(found) : `${blank(quote)}${inner}${blank(quote)}${colon}`,
  );
}

function bareValue(
  text: string,
  schema: JsonValue | undefined,
  root: JsonObject | undefined,
  quote: string | undefined,
): string {
  const types = root ? allowedTypes(schema, root) : new Set<JsonType>();
  const trimmed = text.trim();
  const between = quote === undefined ? undefined : stringBetween(trimmed, quote);
  if (between !== undefined) return quoted(between);
  const quotes = quote !== undefined && trimmed.includes(quote);
  if ((quotes || types.has('array')) && trimmed.startsWith('[') && trimmed.endsWith(']') && !parseLooseJson(trimmed)) {
    const items = root && itemSchema(schema, root);
    return `[${elements(trimmed.slice(1, -1), quote)
      .map((part) => bareValue(part.trim(), items, root, quote))
      .join(', ')}]`;
  }
  if ((quotes || types.has('object')) && trimmed.startsWith('{')) {
    const json = bareMembers(trimmed, isObject(schema) ? schema : undefined, quote, root);
    if (json !== undefined) return json;
  }
  if (/^"(?:[^"\\]|\\.)*"$/s.test(trimmed)) return parseLooseJson(trimmed)?.json ?? quoted(trimmed);
  return jsonFromRaw(text, types, undefined);
}

/** The string between `quote`, if that is the whole text. */
function stringBetween(text: string, quote: string): string | undefined {
  if (!text.startsWith(quote) || !text.endsWith(quote) || text.length < 2 * quote.length) return undefined;
  const inner = text.slice(quote.length, -quote.length);
  return inner.includes(quote) ? undefined : inner;
}

/** The elements of a list, split at the commas outside quotes. */
function elements(inner: string, quote: string | undefined): string[] {
  const found: string[] = [];
  let from = 0;
  for (const { index } of blanked(inner, quote).matchAll(/,/g)) {
    found.push(inner.slice(from, index));
    from = index + 1;
  }
  return inner.trim() === '' ? [] : [...found, inner.slice(from)];
}
