import { seeded } from '@callsmith/testing';
import { type ArgumentStyle, isObject, type JsonObject, type JsonValue, type Tool, ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import type { Dialect } from './dialect.ts';
import { dialects } from './dialects/index.ts';
import { isUnmistakable } from './families/unmistakable.ts';
import { parseText } from './parse-text.ts';

const offered = new ToolTable([{ name: 'read_file' }]);

/** Dialects with an unmistakable marker whose calls no engine's grammar can write. */
const withoutFence: Readonly<Record<string, string>> = {
  'pythonic-olmo3': 'calls as code, and JSON is not read in their place',
};

const isMarked = (dialect: Dialect): boolean =>
  !dialect.ambiguous && dialect.openingMarkers(offered, false).some(isUnmistakable);

const fenced = dialects.flatMap((dialect) => (dialect.fence ? [[dialect.name, dialect, dialect.fence] as const] : []));

it('H-8 every dialect with an unmistakable marker has a fence', () => {
  const marked = dialects.filter((dialect) => isMarked(dialect) && withoutFence[dialect.name] === undefined);
  expect(marked.filter(({ fence }) => fence === undefined).map(({ name }) => name)).toEqual([]);
});

it('H-8 no dialect that could be prose has a fence', () => {
  expect(dialects.filter(({ ambiguous, fence }) => ambiguous && fence).map(({ name }) => name)).toEqual([]);
});

describe.each(fenced)('the fence of %s', (name, dialect, fence) => {
  it('H-8 holds an engine only behind a marker that counts wherever it stands', () => {
    const { trigger, begin } = fence({ name: 'read_file' });
    const markers = dialect.openingMarkers(offered, true).map(({ text }) => text);
    expect(begin.startsWith(trigger)).toBe(true);
    expect(markers.some((text) => text.length > 1 && trigger.trimStart().startsWith(text))).toBe(true);
    const prose = `To list them, functools, Action: and {"name": "x"} are words.\n\`\`\`json\n{"name": 1}\n\`\`\`\n`;
    expect(prose).not.toContain(trigger);
  });

  it('H-8 admits only what is read back as the same call, behind prose too, however it is cut', () => {
    const random = seeded(7);
    for (let round = 0; round < 60; round++) {
      const tool = randomTool(random);
      const calls = Array.from({ length: 1 + Math.floor(random() * 2) }, () => randomArguments(tool, random));
      const { begin, end, style } = fence(tool);
      const lead = random() < 0.5 ? 'I look.\n' : '';
      const text =
        lead + calls.map((args) => begin + written(style, args, random) + end).join(random() < 0.5 ? '\n' : '');
      for (const chunk of ['whole', 1, 5] as const) {
        const read = parseText({ text, tools: new ToolTable([tool]), dialect: name, chunk, finishReason: 'stop' });
        const found = read.toolCalls.map((call) => ({
          name: call.name,
          args: JSON.parse(call.arguments) as JsonValue,
        }));
        expect({ found, content: (read.content ?? '').trim() }, text).toEqual({
          found: calls.map((args) => ({ name: tool.name, args })),
          content: lead.trim(),
        });
        expect(
          read.notes.filter(({ class: found }) => found !== undefined),
          text,
        ).toEqual([]);
      }
    }
  });
});

type Random = () => number;

const pick = <T>(values: readonly T[], random: Random): T => values[Math.floor(random() * values.length)] as T;

const schemas: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'integer' },
  { type: 'number' },
  { type: 'boolean' },
  { enum: ['celsius', 'kelvin'], type: 'string' },
];

function randomTool(random: Random): Tool {
  const properties: JsonObject = {};
  const count = Math.floor(random() * 4);
  for (let at = 0; at < count; at++)
    properties[pick(['city', 'max_items', 'unit', 'q', 'b2'], random)] = pick(schemas, random);
  if (random() < 0.4) properties.place = { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] };
  if (random() < 0.4) properties.tags = { type: 'array', items: { type: 'string' } };
  const required = Object.keys(properties).filter(() => random() < 0.6);
  return {
    name: pick(['read_file', 'now', 'get-weather', 'listAll'], random),
    parameters: { type: 'object', properties, required, additionalProperties: false },
  };
}

function randomArguments({ parameters }: Tool, random: Random): JsonObject {
  const properties = parameters?.properties;
  const required = (parameters?.required ?? []) as readonly string[];
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      required.includes(name) || random() < 0.5 ? [[name, randomValue(schema as JsonObject, random)]] : [],
    ),
  );
}

/** Texts that raw values take as they are: all but what ends one, and new lines at their ends. */
const texts = ['Köln', 'a "b" \\ c', '12', 'true', 'x < y & z > 0', 'one\ntwo', '{"k": 1}', '日本 🎉', "it's", ' and '];

function randomValue(schema: JsonObject, random: Random): JsonValue {
  if (Array.isArray(schema.enum)) return pick(schema.enum, random) as JsonValue;
  switch (schema.type) {
    case 'integer':
      return pick([0, -7, 42, 1_000_000], random);
    case 'number':
      return pick([0.5, -3, 2.25], random);
    case 'boolean':
      return random() < 0.5;
    case 'object':
      return { zip: pick(['10115', 'SW1A'], random) };
    case 'array':
      return Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(['a', 'b c'], random));
    default:
      return pick(texts, random);
  }
}

/** Arguments as a grammar of that style lets a model write them: what it leaves open is drawn. */
function written(style: ArgumentStyle, args: JsonObject, random: Random): string {
  const space = (): string => (style === 'json' ? '' : pick(['', '\n'], random));
  const raw = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const members = Object.entries(args) as [string, JsonValue][];
  const each = (write: (key: string, value: JsonValue) => string): string =>
    space() + members.map(([key, value]) => write(key, value) + space()).join('');
  switch (style) {
    case 'json':
      return JSON.stringify(args, null, random() < 0.3 ? 2 : undefined);
    case 'qwen_xml':
      return each((key, value) => `<parameter=${key}>${pick(['\n', ''], random)}${raw(value)}\n</parameter>`);
    case 'minimax_xml':
      return each((key, value) => `<parameter name="${key}">${raw(value)}</parameter>`);
    case 'glm_xml':
      return each((key, value) => `<arg_key>${key}</arg_key>${space()}<arg_value>${raw(value)}</arg_value>`);
    case 'deepseek_xml':
      return each(
        (key, value) =>
          `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">${raw(value)}</｜DSML｜parameter>`,
      );
    case 'kimi_k3_xml':
      return each(
        (key, value) =>
          `<|open|>argument key="${key}" type="${Array.isArray(value) ? 'array' : typeof value}"<|sep|>${raw(value)}<|close|>argument<|sep|>`,
      );
    case 'minimax_m3_xml':
      return members.map(([key, value]) => nested(key, value)).join('');
  }
}

const ns = ']<]minimax[>[';

/** MiniMax M3's tags, objects and lists as tags too. */
function nested(key: string, value: JsonValue): string {
  const inner = Array.isArray(value)
    ? value.map((one) => nested('item', one as JsonValue)).join('')
    : isObject(value)
      ? Object.entries(value)
          .map(([name, one]) => nested(name, one as JsonValue))
          .join('')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return `${ns}<${key}>${inner}${ns}</${key}>`;
}
