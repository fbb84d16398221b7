import type { JsonObject, JsonValue } from '@callsmith/turn';
import { chance, pick, type Random } from './random.ts';

const names = ['read_file', 'write_to_file', 'execute_command', 'Bash', 'list_files', 'search'];

const schemas: readonly JsonObject[] = [
  {
    type: 'object',
    properties: { path: { type: 'string', description: 'Where' } },
    required: ['path'],
    additionalProperties: false,
  },
  {
    type: 'object',
    properties: {
      edits: {
        type: 'array',
        items: { type: 'object', properties: { old: { type: 'string' }, new: { type: 'string' } } },
      },
    },
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { n: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
    required: [],
  },
  {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  },
];

const tool = (random: Random, name: string): JsonObject => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}`,
    parameters: structuredClone(pick(random, schemas)),
    ...(chance(random, 0.3) && { strict: chance(random, 0.5) }),
  },
});

const textContent = (random: Random, text: string): JsonValue =>
  chance(random, 0.4)
    ? [{ type: 'text', text }, ...(chance(random, 0.3) ? [{ type: 'text', text: 'more' }] : [])]
    : text;

/** A request as the coding clients of today send it: tools on offer, some rounds of calls and results. */
export function wellFormed(random: Random): JsonObject {
  const messages: JsonObject[] = [
    { role: pick(random, ['system', 'developer']), content: textContent(random, 'You write code.') },
    { role: 'user', content: textContent(random, 'Fix the test.') },
  ];
  const rounds = 1 + Math.floor(random() * 3);
  for (let round = 0; round < rounds; round += 1) {
    const calls = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, at) => ({
      id: `call_${round}_${at}`,
      type: 'function',
      function: { name: pick(random, names), arguments: '{"path":"a.ts"}' },
    }));
    messages.push({ role: 'assistant', content: chance(random, 0.5) ? null : 'Let me look.', tool_calls: calls });
    for (const call of calls)
      messages.push({ role: 'tool', tool_call_id: call.id, content: textContent(random, 'ok') });
  }
  if (chance(random, 0.5))
    messages.push({
      role: 'user',
      content: [
        { type: 'text', text: 'And this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    });
  return {
    model: 'demo',
    messages,
    tools: names.map((name) => tool(random, name)),
    tool_choice: pick<JsonValue>(random, ['auto', 'required', { type: 'function', function: { name: 'Bash' } }]),
    parallel_tool_calls: chance(random, 0.5),
    stream: chance(random, 0.7),
    stream_options: { include_usage: true },
    temperature: 0.5,
    top_p: 1,
    max_tokens: 4096,
    n: 1,
    stop: ['STOP'],
    seed: 7,
    response_format: { type: 'text' },
  };
}
