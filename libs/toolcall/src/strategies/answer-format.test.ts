import { type JsonObject, ToolTable, type Turn } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { answerMismatch } from './answer-format.ts';

const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
const turn = (response_format: JsonObject): Turn => ({
  model: 'm',
  messages: [],
  tools: new ToolTable(),
  toolChoice: 'auto',
  parallel: true,
  stream: false,
  includeUsage: false,
  n: 1,
  sampling: { response_format },
});
const schemaTurn = turn({ type: 'json_schema', json_schema: { name: 'a', schema } });

it('an answer that satisfies the schema is no finding', () => {
  expect(answerMismatch(schemaTurn, ' {"answer":4,"more":[]}\n')).toBeUndefined();
});

it.each([
  ['The answer is 4.', 'InvalidJson'],
  ['```json\n{"answer":4}\n```', 'InvalidJson'],
  ['{"answer":4', 'InvalidJson'],
  ['{}', 'SchemaMismatch'],
  ['{"answer":"four"}', 'SchemaMismatch'],
  ['[4]', 'SchemaMismatch'],
])('%j is the finding %s', (text, reason) => {
  const note = answerMismatch(schemaTurn, text);
  expect(note).toMatchObject({ stage: 'finalize', class: reason });
  expect(note?.detail).toContain('response_format');
  expect(note?.detail).not.toContain('four');
});

it.each<JsonObject>([
  { type: 'text' },
  { type: 'json_object' },
  { type: 'json_schema' },
  { type: 'json_schema', json_schema: { schema: 7 } },
])('%j asks for no schema', (format) => expect(answerMismatch(turn(format), 'text')).toBeUndefined());
