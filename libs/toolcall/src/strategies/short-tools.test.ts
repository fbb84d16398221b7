import { type JsonObject, type JsonValue, ToolTable } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { shortTools } from './short-tools.ts';

const long = `Does a thing to the file. ${'It is described at great length. '.repeat(100)}`;
const short = (parameters: JsonObject, description = long): JsonObject | undefined =>
  shortTools(new ToolTable([{ name: 'f', description, parameters }])).get('f') as unknown as JsonObject;

it('E-4 descriptions become a sentence or two; names, types, allowed values and the order stay', () => {
  const schema = (text: string, title: JsonObject): JsonObject => ({
    type: 'object',
    required: ['description', 'z'],
    properties: {
      z: { type: 'string', description: text, enum: ['title', 'b'], ...title },
      description: { type: 'string', description: text },
      title: { anyOf: [{ type: 'array', items: { type: 'string', description: text } }, { $ref: '#/$defs/d' }] },
      a: { type: 'object', additionalProperties: { type: 'integer', description: text }, default: { title: 'kept' } },
    },
    $defs: { d: { type: 'object', properties: { examples: { type: 'string', description: text } } } },
  });
  const tool = short(schema(long, { title: 'Z', examples: ['z'] }));
  expect(JSON.stringify(tool?.parameters)).toBe(
    JSON.stringify(schema('Does a thing to the file. It is described at great length.', {})),
  );
  expect(String(tool?.description).length).toBeLessThan(200);
  expect(tool?.description).toMatch(/^Does a thing to the file\. .*length\.$/);
});

it('E-4 a description without sentences is cut behind a word; a short one keeps its bytes', () => {
  const words = short({ type: 'object' }, 'word '.repeat(1000))?.description;
  expect(words).toMatch(/^(word )+word…$/);
  const kept = { type: 'object', properties: { a: { type: 'string', description: 'A path.' } } };
  expect(short(kept, 'Reads.')).toEqual({ name: 'f', description: 'Reads.', parameters: kept });
});

it('security 15: a schema of any depth is shortened without an end of the stack', () => {
  let deep: JsonValue = { type: 'string', description: long };
  for (let depth = 0; depth < 50_000; depth += 1) deep = { items: deep };
  expect(short(deep as JsonObject)).toBeDefined();
});
