import { type JsonObject, parseJson, type Tool, ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialect.ts';
import { dialectNamed, dialects } from '../dialects/index.ts';
import { parseText } from '../parse-text.ts';
import { exampleCalls } from './example-calls.ts';

const tool = (name: string, properties: JsonObject, required: readonly string[] = Object.keys(properties)): Tool => ({
  name,
  parameters: { type: 'object', properties, required: [...required] },
});
const hermes = dialectNamed('hermes') as Dialect;
const weather = tool('get_weather', { city: { type: 'string' }, unit: { enum: ['celsius', 'kelvin'] } });
const order = tool('order', {
  items: {
    type: 'array',
    items: { type: 'object', properties: { sku: { type: 'string' }, qty: { type: 'integer', minimum: 2 } } },
  },
  paid: { type: 'boolean' },
});
const shown = (tools: readonly Tool[], dialect = hermes): string | undefined =>
  exampleCalls(new ToolTable(tools), dialect);

it('A-13 they are made of the tools on offer: a short one, and one with an object or a list', () => {
  expect(shown([order, weather])).toBe(
    [
      'Examples of calls, with made-up values:',
      '<tool_call>\n{"name": "get_weather", "arguments": {"city":"the city","unit":"celsius"}}\n</tool_call>',
      '<tool_call>\n{"name": "order", "arguments": {"items":[{"sku":"the sku"}],"paid":true}}\n</tool_call>',
    ].join('\n\n'),
  );
  expect(shown([weather])).toMatch(/^An example of a call, .*\n\n<tool_call>[\s\S]*get_weather[\s\S]*<\/tool_call>$/);
});

it('A-13 there is none of tools without parameters, in brief, or whose schema is not sure to be satisfied', () => {
  expect(shown([])).toBeUndefined();
  expect(shown([{ name: 'now' }, tool('then', {})])).toBeUndefined();
  expect(shown([{ ...weather, brief: true }])).toBeUndefined();
  expect(shown([tool('coded', { code: { type: 'string', pattern: '^[A-Z]{3}$' } })])).toBeUndefined();
  expect(shown([tool('marked', { text: { enum: ['</tool_call>'] } })])).toBeUndefined();
  expect(shown([tool('far', { x: { $ref: 'https://example.com/schema' } })])).toBeUndefined();
  const endless = tool('endless', { x: { $ref: '#' } });
  expect(shown([endless])).toBeUndefined();
});

const made = [
  [weather, { city: 'the city', unit: 'celsius' }],
  [order, { items: [{ sku: 'the sku' }], paid: true }],
] as const;

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('%s', (_, dialect) => {
  it('A-13 reads its examples as the calls that they are', () => {
    for (const [one, args] of made) {
      const text = shown([one], dialect);
      if (text === undefined) continue;
      const call = text.slice(text.indexOf('\n\n') + 2);
      const tools = new ToolTable([one]);
      const read = parseText({ text: call, tools, dialect: dialect.name, chunk: 'whole', finishReason: 'stop' });
      const calls = read.toolCalls.map(({ name, arguments: json }) => [name, parseJson(json)]);
      expect(calls, call).toEqual([[one.name, args]]);
    }
  });

  it('A-13 says nothing of several calls where one is made at a time, and little where the context is small', () => {
    const tools = new ToolTable([weather]);
    const full = dialect.renderToolPrompt(tools, {});
    const single = dialect.renderToolPrompt(tools, { parallel: false });
    expect(single).not.toMatch(/several (?:calls|invokes)|one or more|one call a line|block for each/i);
    const short = dialect.renderToolPrompt(tools, { short: true });
    expect(short.length).toBeLessThan(full.length - 200);
    for (const prompt of [single, short]) {
      expect(prompt).toContain('"name":"get_weather"');
      expect(prompt).toContain('To call a tool, answer in exactly this form:');
    }
  });
});
