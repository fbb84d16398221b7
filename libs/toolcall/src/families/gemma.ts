import { isObject, type PastCall, type Tool } from '@callsmith/turn';
import type { CallBuilder, Dialect, OpeningMarker, ResultFormat } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { PendingCall, unobserved } from '../finalize/pending-call.ts';
import { allowedTypes, itemSchema } from '../finalize/schema.ts';
import { members } from '../json-members.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';
import { parseArguments } from './arguments.ts';
import { ArgumentsWriter, jsonFromRaw } from './arguments-writer.ts';
import { gemmaTemplate } from './chat-templates.ts';
import { parseClosingMarker } from './json-calls.ts';
import { dropClosers } from './named-arguments.ts';
import { example, toolPrompt } from './tool-prompt.ts';

/** A dialect of `call:NAME{key:value}` with strings between markers of its own. */
export interface GemmaDialect {
  readonly name: string;
  readonly open: string;
  readonly close: string;
  /** Delimits strings. */
  readonly quote: string;
  readonly reasoning?: Dialect['reasoning'];
  readonly result: ResultFormat;
}

/** Makes a dialect of Gemma's family. */
export function gemma(of: GemmaDialect): Dialect {
  const write = (call: PastCall): string =>
    `${of.open}call:${call.name}${gemmaValue(call.arguments.trim() || '{}', of.quote)}${of.close}`;
  const stripped: OpeningMarker = { text: 'call:', at: 'answer', rule: 'restore-markers', ambiguous: true };
  return {
    name: of.name,
    openingMarkers: () => [{ text: of.open, at: 'anywhere' }, stripped],
    closingMarkers: () => [of.close],
    template: gemmaTemplate,
    ...(of.reasoning && { reasoning: of.reasoning }),
    *matches(scan, builder) {
      const ahead = yield* scan.ahead(96);
      const name = (builder.openingMarker.text === 'call:' ? /^([\w.-]+)\{/ : /^\s*call:\s*([\w.-]+)\s*\{/).exec(
        ahead,
      )?.[1];
      return name !== undefined && (builder.openingMarker.text !== 'call:' || builder.tools.get(name) !== undefined);
    },
    *parse(scan, builder) {
      if (builder.openingMarker.text === 'call:') return yield* parseStripped(scan, builder);
      yield* scan.space();
      yield* scan.takeText('call:');
      const name = (yield* scan.run(/[^{]/, 256)).trim();
      const call = builder.open(name);
      if ((yield* scan.peek()) === '') throw new ParseFailure('cut');
      yield* parseArguments(scan, call, [of.close], { quote: of.quote, bareKeys: true, repairWhole: bareMembers });
      yield* dropClosers(scan, builder);
      call.close();
      yield* parseClosingMarker(scan, builder, [of.close]);
    },
    renderToolPrompt: (tools, choice) =>
      toolPrompt(tools, choice, write(example), [
        `Put every string between ${of.quote} and ${of.quote}, as it is, without escaping.`,
      ]),
    renderCall: write,
    ...of.result,
    canExpress: (call) => {
      if (call.arguments.includes(of.quote) || /\\u|\\\//.test(call.arguments) || call.arguments.trim()[0] !== '{')
        return false;
      const keys = members(call.arguments).map(({ key }) => key);
      return new Set(keys).size === keys.length && !/"(?:[^"\\]|\\.)*[^\w"](?:[^"\\]|\\.)*"\s*:/.test(call.arguments);
    },
    fence: (tool) => ({ trigger: of.open, begin: `${of.open}call:${tool.name}{`, end: `}${of.close}` }),
  };
}

/** JSON as Gemma writes it: bare keys, strings between the quote marker. */
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

/** `call:NAME{key:text,n:20}`: markers and quotes are gone. The call ends at the `}` that closes it. */
function* parseStripped(scan: Scanner, builder: CallBuilder): Step<void> {
  let begin = scan.offset;
  for (;;) {
    const name = yield* scan.run(/[^{]/, 256);
    const call = builder.open(name);
    call.wholeOnly = true;
    scan.markUnlessMarked();
    const from = scan.offset;
    if (!(yield* toClosingBrace(scan))) throw new ParseFailure('cut');
    const raw = scan.since(from);
    const json = bareMembers(raw, call.tool);
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

/** `{key:text,n:20}` with values that nothing delimits, parted at the keys that the tool has. */
export function bareMembers(raw: string, tool: Tool | undefined): string | undefined {
  if (raw[0] !== '{' || !raw.endsWith('}')) return undefined;
  const inner = raw.slice(1, -1);
  if (inner.trim() === '') return '{}';
  const root = tool?.parameters;
  const properties = isObject(root?.properties) ? root.properties : undefined;
  const starts: { key: string; at: number; value: number }[] = [];
  for (const found of inner.matchAll(/(^|,)\s*["']?([A-Za-z_][\w-]*)["']?\s*:/g)) {
    const key = found[2] as string;
    if (properties ? Object.hasOwn(properties, key) && !starts.some((one) => one.key === key) : true) {
      starts.push({ key, at: found.index, value: found.index + found[0].length });
    }
  }
  if (starts[0]?.at !== 0) return undefined;
  const call = new PendingCall('', '', tool, 'text', unobserved);
  const out = new ArgumentsWriter(call);
  starts.forEach(({ key, value }, place) => {
    const text = inner.slice(value, starts[place + 1]?.at ?? inner.length);
    out.jsonMember(key, bareValue(text, out.typesOf(key), root && itemTypes(root, key)));
  });
  out.end();
  return call.parts.text();

  function itemTypes(schema: NonNullable<Tool['parameters']>, key: string) {
    return allowedTypes(itemSchema(isObject(schema.properties) ? schema.properties[key] : undefined, schema), schema);
  }
}

function bareValue(
  text: string,
  types: ReturnType<typeof allowedTypes>,
  items: ReturnType<typeof allowedTypes> | undefined,
): string {
  const trimmed = text.trim();
  if (types.has('array') && trimmed.startsWith('[') && trimmed.endsWith(']') && !parseLooseJson(trimmed)) {
    const parts = trimmed
      .slice(1, -1)
      .split(',')
      .map((part) => jsonFromRaw(part.trim(), items ?? new Set(), undefined));
    return `[${parts.join(', ')}]`;
  }
  if (/^"(?:[^"\\]|\\.)*"$/s.test(trimmed)) return parseLooseJson(trimmed)?.json ?? quoted(trimmed);
  return jsonFromRaw(text, types, undefined);
}
