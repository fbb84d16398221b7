import { isObject, type JsonObject, type JsonValue, type PastCall, parseJson } from '@callsmith/turn';
import type { Dialect, Hearing } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { fromRaw, MembersOut } from '../families/members-out.ts';
import { readRaw, readTagHead, tagsSay } from '../families/tags.ts';
import { example, lesson } from '../families/teach.ts';
import { findOneOf } from '../find.ts';
import { GaveUp, type Scanner, type Step } from '../scanner.ts';
import type { HeardCall } from '../settle/heard-call.ts';
import { allowedTypes, itemSchema, propertySchema } from '../settle/schema.ts';

/** Stands before every tag. */
const ns = ']<]minimax[>[';
const deepest = 32;

function* readOne(scan: Scanner, hear: Hearing): Step<void> {
  const head = yield* readTagHead(scan, 'name');
  if (!head) throw new GaveUp('not-a-call');
  const call = hear.open(head.name);
  scan.markUnlessMarked();
  const out = new MembersOut(call);
  for (;;) {
    yield* scan.space();
    if (!(yield* scan.word(ns))) {
      const next = yield* scan.peek();
      throw new GaveUp(next === '' || ns.startsWith(next) ? 'cut' : 'broken');
    }
    if (yield* scan.word('</invoke>')) break;
    const key = yield* tagName(scan);
    const root = call.tool?.parameters;
    if (yield* nestedAhead(scan)) {
      const schema = root && propertySchema(root, root, key);
      out.json(key, yield* readNested(scan, call, schema, key, 0));
    } else {
      yield* readRaw(scan, call, out, key, undefined, { close: `${ns}</${key}>`, follow: [ns], strip: false });
    }
  }
  out.end();
  call.close();
}

function* tagName(scan: Scanner): Step<string> {
  if (!(yield* scan.word('<'))) throw new GaveUp('broken');
  const key = yield* scan.run(/[^<>/\s]/, 128);
  if (key === '' || !(yield* scan.word('>'))) throw new GaveUp('broken');
  return key;
}

/** A value of tags begins with one. */
function* nestedAhead(scan: Scanner): Step<boolean> {
  const ahead = yield* scan.ahead(ns.length + 2);
  return ahead.startsWith(`${ns}<`) && ahead[ns.length + 1] !== '/';
}

/** Reads the tags of an object or list up to and with the closing tag of `key`. */
function* readNested(
  scan: Scanner,
  call: HeardCall,
  schema: JsonValue | undefined,
  key: string,
  depth: number,
): Step<string> {
  if (depth > deepest) throw new GaveUp('broken');
  const root: JsonObject = call.tool?.parameters ?? {};
  const close = `${ns}</${key}>`;
  const parts: string[] = [];
  let list = allowedTypes(schema, root).has('array');
  for (;;) {
    yield* scan.space();
    if (yield* scan.word(close)) break;
    if (!(yield* scan.word(ns))) throw new GaveUp('cut');
    const inner = yield* tagName(scan);
    if (parts.length === 0 && inner === 'item') list = true;
    const innerSchema = list ? itemSchema(schema, root) : propertySchema(schema, root, inner);
    let json: string;
    if (yield* nestedAhead(scan)) {
      json = yield* readNested(scan, call, innerSchema, inner, depth + 1);
    } else {
      const from = scan.offset;
      const end = `${ns}</${inner}>`;
      scan.markUnlessMarked();
      if (!(yield* findOneOf(scan, [end]))) throw new GaveUp('cut');
      json = fromRaw(scan.since(from), allowedTypes(innerSchema, root), undefined);
      yield* scan.word(end);
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
  opens: () => [{ word: `${ns}<tool_call>`, at: 'anywhere' }],
  *fits(scan) {
    const invoke = `${ns}<invoke`;
    return (yield* scan.afterSpace(invoke.length)) === invoke;
  },
  *read(scan, hear) {
    for (;;) {
      yield* scan.space();
      const from = scan.offset;
      if (!(yield* scan.word(`${ns}<invoke`))) break;
      yield* readOne(scan, hear);
      hear.stands(from);
    }
    if (!(yield* scan.word(`${ns}</tool_call>`))) hear.mend('close-wrapper', scan.offset, scan.offset);
  },
  teach: (tools, choice) =>
    lesson(tools, choice, minimaxM3.write(example), [
      'Objects and lists are nested tags; the tag of a list element is item.',
    ]),
  write: (call: PastCall) => {
    const args = parseJson(call.arguments);
    const body = isObject(args) ? valueText(args) : '';
    return `${ns}<tool_call>${ns}<invoke name="${call.name}">${body}${ns}</invoke>${ns}</tool_call>`;
  },
  writeResult: ({ text }) => `<response>${text}</response>`,
  says: (call, tool) =>
    tagsSay(call, tool, [ns]) &&
    !/[[{]/.test(call.arguments.slice(1)) &&
    !/e|\d{16}|\.\d*0\b|-0/i.test(call.arguments.replace(/"(?:[^"\\]|\\.)*"|true|false/g, '')),
};
