import type { JsonObject } from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBody } from './body.ts';
import { RepeatedTools } from './repeated-tools.ts';

const tool = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, description: 'Does a thing. '.repeat(10), parameters: { type: 'object', properties: {}, ...more } },
});
const many = Array.from({ length: 12 }, (_, at) => tool(`tool_${at}`));
const one = { id: 'key-1' };
const other = { id: 'key-2' };

const bytesOf = (value: unknown, space?: number): Buffer => Buffer.from(JSON.stringify(value, null, space));
const toolsOf = (value: unknown): unknown => (value as JsonObject).tools;
const times = (tools: RepeatedTools, bytes: Buffer, count: number, key = one): unknown[] =>
  Array.from({ length: count }, () => tools.parse(bytes, key));

describe('tools that repeat', () => {
  it('are one frozen value from the third request on, whatever else the body holds', () => {
    const tools = new RepeatedTools();
    times(tools, bytesOf({ messages: [], tools: many }), 2);
    const third = tools.parse(
      bytesOf({ messages: [{ role: 'user', content: 'ä "tools":[ \\' }], tools: many, n: 1 }),
      one,
    );
    const fourth = tools.parse(bytesOf({ n: 2, messages: [], tools: many }), one);
    expect(fourth).toEqual({ n: 2, messages: [], tools: many });
    expect(toolsOf(fourth)).toBe(toolsOf(third));
    expect(Object.isFrozen((toolsOf(fourth) as JsonObject[])[3]?.function)).toBe(true);
  });

  it('security 29: are not shared between keys', () => {
    const tools = new RepeatedTools();
    const bytes = bytesOf({ tools: many });
    const mine = times(tools, bytes, 4).at(-1);
    const theirs = times(tools, bytes, 4, other).at(-1);
    expect(toolsOf(theirs)).toEqual(toolsOf(mine));
    expect(toolsOf(theirs)).not.toBe(toolsOf(mine));
  });

  it('may begin like others: of an agent and its subagents', () => {
    const tools = new RepeatedTools();
    const lists = [many, many.slice(0, 9), [...many, tool('last')]];
    for (let round = 0; round < 5; round++)
      for (const list of lists) expect(tools.parse(bytesOf({ tools: list }), one)).toEqual({ tools: list });
    const [first, second] = lists.map((list) => toolsOf(tools.parse(bytesOf({ tools: list }), one)));
    expect(toolsOf(tools.parse(bytesOf({ tools: lists[0] }), one))).toBe(first);
    expect(toolsOf(tools.parse(bytesOf({ tools: lists[1] }), one))).toBe(second);
  });

  const text = JSON.stringify(many);
  it.each([
    ['pretty', JSON.stringify({ model: 'm', tools: many }, null, 2)],
    ['with a byte order mark', `\ufeff{"tools":${text}}`],
    ['twice', `{"tools":${text},"tools":[]}`],
    ['twice, the known ones last', `{"tools":[1],"tools":${text}}`],
    ['of an inner object', `{"tool_choice":{"tools":${text}}}`],
    ['of an inner object and its own', `{"metadata":{"tools":${text}},"tools":${text},"a":{"tools":[2]}}`],
    ['under an escaped name', `{"too\\u006cs":[1],"x":{"tools":${text}}}`],
    ['with an exact number', `{"tools":${text.replace('{', '{"most":12345678901234567890,')}}`],
    ['with an exact number elsewhere', `{"seed":12345678901234567890,"tools":${text}}`],
    ['with a prototype', `{"tools":${text.replace('{', '{"__proto__":{"x":1},')}}`],
    ['nested deep', `{"tools":[${'['.repeat(3000)}${']'.repeat(3000)}]}`],
    ['in a text', JSON.stringify({ content: `{"tools":${text}}` })],
    ['with brackets and quotes in texts', JSON.stringify({ tools: [...many, tool(']}"\\"'), tool('\\')] })],
    ['beyond ASCII', JSON.stringify({ a: 'ü😀', tools: [...many, tool('天気')], b: 'ü' })],
    ['before text of the same kind', `{"tools":${text},"content":"\\"tools\\":[]"}`],
    ['in an array', `[{"tools":${text}}]`],
    ['behind many such names', `{"a":[${'"tools",'.repeat(1000)}0],"tools":${text},"b":[${'"tools",'.repeat(1000)}0]}`],
    ['after much space', `{"tools"${' '.repeat(1000)}:${' '.repeat(1000)}${text}}`],
    ['as the name of a list', `{"a":["tools",${text}],"tools" : ${text} }`],
  ])('are read as without sharing: %s', (_, body) => {
    const tools = new RepeatedTools();
    const bytes = Buffer.from(body);
    const plain = parseBody(bytes);
    for (const parsed of times(tools, bytes, 5)) expect(JSON.stringify(parsed)).toBe(JSON.stringify(plain));
  });

  it.each(['', '}', '"', '\u0000', ',"a":}', ']', ',"tools":[}'])(
    'a body that is not JSON is refused as without sharing: …%j',
    (end) => {
      const tools = new RepeatedTools();
      times(tools, bytesOf({ tools: many }), 4);
      const bytes = Buffer.from(`{"tools":${text}${end}`);
      const refusal = (parse: () => unknown): unknown => {
        try {
          return parse();
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(refusal(() => tools.parse(bytes, one))).toEqual(refusal(() => parseBody(bytes)));
    },
  );

  it('bodies of any kind, sent repeatedly and in any order, are read as without sharing', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const list = fc.array(fc.oneof(value, fc.constantFrom(...many)), { minLength: 1, maxLength: 14 });
    const entry = fc.oneof(
      fc.tuple(fc.constant('tools'), fc.oneof(list, fc.constant(many), value)),
      fc.tuple(fc.constantFrom('a', 'messages', 'tool_choice'), fc.oneof(value, fc.record({ tools: list }))),
    );
    const spaced = fc
      .tuple(fc.array(entry, { maxLength: 5 }), fc.constantFrom('', ' ', '\n\t'))
      .map(([entries, space]) => {
        const members = entries.map(([name, member]) => `"${name}"${space}:${space}${JSON.stringify(member)}`);
        return Buffer.from(`{${members.join(`${space},`)}}`);
      });
    fc.assert(
      fc.property(fc.array(spaced, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat()), (bodies, order) => {
        const tools = new RepeatedTools();
        for (let round = 0; round < 12; round++) {
          const bytes = bodies[(order.next().value as number) % bodies.length] as Buffer;
          expect(JSON.stringify(tools.parse(bytes, one))).toBe(JSON.stringify(parseBody(bytes)));
        }
      }),
      { numRuns: 300 },
    );
  });
});
