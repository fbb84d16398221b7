import { isObject, type JsonObject, type JsonValue, type PastCall, parseJson } from '@callsmith/turn';
import type { CallBuilder, Dialect } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { ArgumentsWriter, jsonFromRaw } from '../families/arguments-writer.ts';
import { minimaxTemplate } from '../families/chat-templates.ts';
import { parseRawValue } from '../families/raw-member.ts';
import { thinkBlock } from '../families/reasoning.ts';
import { parseTagHead, tagsCanExpress } from '../families/tags.ts';
import { example, toolPrompt } from '../families/tool-prompt.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { allowedTypes, itemSchema, propertySchema } from '../finalize/schema.ts';
import { findOneOf } from '../find.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';
import { minimaxResult } from './minimax-m2.ts';

/** Precedes every tag. */
const ns = ']<]minimax[>[';
const deepest = 32;

function* parseOneCall(scan: Scanner, builder: CallBuilder): Step<void> {
  const head = yield* parseTagHead(scan, 'name');
  if (!head) throw new ParseFailure('not-a-call');
  const call = builder.open(head.name);
  scan.markUnlessMarked();
  const out = new ArgumentsWriter(call);
  for (;;) {
    yield* scan.space();
    if (!(yield* scan.takeText(ns))) {
      const next = yield* scan.peek();
      throw new ParseFailure(next === '' || ns.startsWith(next) ? 'cut' : 'broken');
    }
    if (yield* scan.takeText('</invoke>')) break;
    const key = yield* tagName(scan);
    const root = call.tool?.parameters;
    if (yield* nestedAhead(scan)) {
      const schema = root && propertySchema(root, root, key);
      out.jsonMember(key, yield* parseNested(scan, call, schema, key, 0));
    } else {
      yield* parseRawValue(scan, call, out, key, undefined, {
        close: `${ns}</${key}>`,
        follow: [ns],
        stripsNewlines: false,
      });
    }
  }
  out.end();
  call.close();
}

function* tagName(scan: Scanner): Step<string> {
  if (!(yield* scan.takeText('<'))) throw new ParseFailure('broken');
  const key = yield* scan.run(/[^<>/\s]/, 128);
  if (key === '' || !(yield* scan.takeText('>'))) throw new ParseFailure('broken');
  return key;
}

/** True if a value of nested tags begins here. */
function* nestedAhead(scan: Scanner): Step<boolean> {
  const ahead = yield* scan.ahead(ns.length + 2);
  return ahead.startsWith(`${ns}<`) && ahead[ns.length + 1] !== '/';
}

/** Parses the tags of an object or list, including the closing tag of `key`. */
function* parseNested(
  scan: Scanner,
  call: PendingCall,
  schema: JsonValue | undefined,
  key: string,
  depth: number,
): Step<string> {
  if (depth > deepest) throw new ParseFailure('broken');
  const root: JsonObject = call.tool?.parameters ?? {};
  const close = `${ns}</${key}>`;
  const parts: string[] = [];
  let list = allowedTypes(schema, root).has('array');
  for (;;) {
    yield* scan.space();
    if (yield* scan.takeText(close)) break;
    if (!(yield* scan.takeText(ns))) throw new ParseFailure('cut');
    const inner = yield* tagName(scan);
    if (parts.length === 0 && inner === 'item') list = true;
    const innerSchema = list ? itemSchema(schema, root) : propertySchema(schema, root, inner);
    let json: string;
    if (yield* nestedAhead(scan)) {
      json = yield* parseNested(scan, call, innerSchema, inner, depth + 1);
    } else {
      const from = scan.offset;
      const end = `${ns}</${inner}>`;
      scan.markUnlessMarked();
      if (!(yield* findOneOf(scan, [end]))) throw new ParseFailure('cut');
      json = jsonFromRaw(scan.since(from), allowedTypes(innerSchema, root), undefined);
      yield* scan.takeText(end);
    }
    parts.push(list ? json : `${quoted(inner)}: ${json}`);
  }
  return list ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

const tag = (name: string, value: string): string => `${ns}<${name}>${value}${ns}</${name}>`;

function valueText(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return value.map((one) => tag('item', valueText(one))).join('');
  if (isObject(value))
    return Object.keys(value)
      .map((key) => tag(key, valueText(value[key])))
      .join('');
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** `]<]minimax[>[` before every tag: `<tool_call><invoke name="NAME"><city>Beijing</city></invoke></tool_call>`; objects and lists (`item`) as nested tags */
export const minimaxM3: Dialect = {
  name: 'minimax-m3',
  openingMarkers: () => [{ text: `${ns}<tool_call>`, at: 'anywhere' }],
  *matches(scan) {
    const invoke = `${ns}<invoke`;
    return (yield* scan.afterSpace(invoke.length)) === invoke;
  },
  *parse(scan, builder) {
    for (;;) {
      yield* scan.space();
      const from = scan.offset;
      if (!(yield* scan.takeText(`${ns}<invoke`))) break;
      yield* parseOneCall(scan, builder);
      builder.setRange(from);
    }
    if (!(yield* scan.takeText(`${ns}</tool_call>`))) builder.repair('close-wrapper', scan.offset, scan.offset);
  },
  renderToolPrompt: (tools, shape) =>
    toolPrompt(tools, shape, minimaxM3.renderCall(example), [
      'Objects and lists are nested tags; the tag of a list element is item.',
    ]),
  renderCall: (call: PastCall) => {
    const args = parseJson(call.arguments);
    const body = isObject(args) ? valueText(args) : '';
    return `${ns}<tool_call>${ns}<invoke name="${call.name}">${body}${ns}</invoke>${ns}</tool_call>`;
  },
  closingMarkers: () => [`${ns}</invoke>`, `${ns}</tool_call>`],
  innerMarkers: [ns],
  reasoning: [thinkBlock],
  template: minimaxTemplate,
  ...minimaxResult,
  fence: ({ name }) => ({
    trigger: `${ns}<tool_call>`,
    begin: `${ns}<tool_call>${ns}<invoke name="${name}">`,
    end: `${ns}</invoke>${ns}</tool_call>`,
    style: 'minimax_m3_xml',
  }),
  canExpress: (call, tool) =>
    tagsCanExpress(call, tool, [ns]) &&
    !/[[{]/.test(call.arguments.slice(1)) &&
    !/e|\d{16}|\.\d*0\b|-0/i.test(call.arguments.replace(/"(?:[^"\\]|\\.)*"|true|false/g, '')),
};
