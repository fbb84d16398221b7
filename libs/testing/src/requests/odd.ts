import type { JsonObject, JsonValue } from '@callsmith/turn';
import { chance, pick, type Random } from './random.ts';
import { wellFormed } from './well-formed.ts';

const messagesOf = (request: JsonObject): JsonObject[] => request.messages as JsonObject[];
const assistants = (request: JsonObject): JsonObject[] =>
  messagesOf(request).filter((message) => Array.isArray(message.tool_calls));
const results = (request: JsonObject): JsonObject[] => messagesOf(request).filter((message) => message.role === 'tool');
const toolOf = (request: JsonObject, random: Random): JsonObject =>
  pick(
    random,
    (request.tools as JsonObject[]).filter((tool) => tool.function !== undefined),
  ).function as JsonObject;
const callOf = (message: JsonObject): JsonObject => (message.tool_calls as JsonObject[])[0] as JsonObject;

const deep = (levels: number): JsonObject =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { inner: deep(levels - 1) } };

/** Things that real clients send and that no gateway may stumble over; each seen in a client or legal by the API. */
const oddities: Readonly<Record<string, (request: JsonObject, random: Random) => void>> = {
  'unknown parameters': (request) =>
    Object.assign(request, {
      search_parameters: { mode: 'off' },
      prompt_cache_key: 'k',
      top_k: 40,
      made_up: [{ deep: [null] }],
    }),
  'parameters that are null': (request) =>
    Object.assign(request, {
      stop: null,
      temperature: null,
      tool_choice: null,
      n: null,
      stream_options: null,
      response_format: null,
      seed: null,
      max_tokens: null,
    }),
  'no optional parameter at all': (request) => {
    for (const key of Object.keys(request)) if (!['model', 'messages', 'tools'].includes(key)) delete request[key];
  },
  'a bound of -1': (request) => Object.assign(request, { max_tokens: -1 }),
  'both bounds': (request) => Object.assign(request, { max_completion_tokens: 8192 }),
  'tools without parameters': (request, random) => void delete toolOf(request, random).parameters,
  'an empty schema': (request, random) => void (toolOf(request, random).parameters = {}),
  'a schema with lists of types': (request, random) =>
    void (toolOf(request, random).parameters = {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { oneOf: [{ type: 'integer' }, { type: 'boolean' }], pattern: '(a+)+$' },
      },
    }),
  'a deep schema': (request, random) => void (toolOf(request, random).parameters = deep(25)),
  'no description': (request, random) => void delete toolOf(request, random).description,
  'a tool without type': (request) => void delete (request.tools as JsonObject[])[0]?.type,
  'a name of 200 characters': (request, random) => {
    toolOf(request, random).name = `mcp__${'server_'.repeat(27)}tool`.slice(0, 200);
    request.tool_choice = 'auto';
  },
  'names with dots, colons and letters of other scripts': (request) =>
    void (request.tools as JsonObject[]).push({ type: 'function', function: { name: 'github.issues:列表' } }),
  'two tools of one name': (request) =>
    void (request.tools as JsonObject[]).push(structuredClone((request.tools as JsonObject[])[0] as JsonObject)),
  '100 more tools': (request) =>
    void (request.tools as JsonObject[]).push(
      ...Array.from({ length: 100 }, (_, at) => ({ type: 'function', function: { name: `extra_${at}` } })),
    ),
  'tools null and history': (request) => void ((request.tools = null), delete request.tool_choice),
  'an empty list of tools': (request) => void ((request.tools = []), (request.tool_choice = 'auto')),
  'the rest of SDK messages': (request, random) =>
    void Object.assign(pick(random, assistants(request)), {
      refusal: null,
      parsed: null,
      annotations: [],
      audio: null,
      function_call: null,
      name: 'assistant',
    }),
  'past reasoning': (request, random) =>
    void Object.assign(
      pick(random, assistants(request)),
      pick<JsonObject>(random, [{ reasoning_content: 'hm' }, { reasoning: 'hm' }, { reasoning_content: null }]),
    ),
  'empty content': (request, random) => void Object.assign(pick(random, messagesOf(request)), { content: '' }),
  'content null': (request, random) => void Object.assign(pick(random, messagesOf(request)), { content: null }),
  'no content beside calls': (request) => void delete assistants(request)[0]?.content,
  'an empty list of parts': (request, random) => void Object.assign(pick(random, messagesOf(request)), { content: [] }),
  'parts of unknown types': (request) =>
    void Object.assign(messagesOf(request)[1] as JsonObject, {
      content: [
        { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
        { type: 'file', file: {} },
        { type: 'from_tomorrow' },
      ],
    }),
  'a picture as a plain address': (request) =>
    void Object.assign(messagesOf(request)[1] as JsonObject, {
      content: [{ type: 'image_url', image_url: 'https://example.com/a.png' }],
    }),
  'names on messages': (request, random) => void Object.assign(pick(random, results(request)), { name: 'read_file' }),
  'unknown fields on messages': (request, random) =>
    void Object.assign(pick(random, messagesOf(request)), { cache_control: { type: 'ephemeral' }, metadata: null }),
  'arguments that are not JSON': (request, random) =>
    void Object.assign(callOf(pick(random, assistants(request))).function as JsonObject, {
      arguments: pick(random, [
        '',
        '{"path":"cut',
        'ls -la',
        '{"a":1}{"b":2}',
        'null',
        '```json\n{}\n```',
        '[]',
        '"{}"',
      ]),
    }),
  'arguments as an object': (request, random) =>
    void Object.assign(callOf(pick(random, assistants(request))).function as JsonObject, { arguments: { path: 'a' } }),
  'calls without type': (request) => void delete callOf(assistants(request)[0] as JsonObject).type,
  'calls with an index': (request) => void Object.assign(callOf(assistants(request)[0] as JsonObject), { index: 0 }),
  'a history that names tools that are gone': (request, random) =>
    void Object.assign(callOf(pick(random, assistants(request))).function as JsonObject, { name: 'invalid' }),
  'a result that never came': (request, random) => {
    const gone = pick(random, results(request));
    request.messages = messagesOf(request).filter((message) => message !== gone);
  },
  'results in another order': (request) => {
    const messages = messagesOf(request);
    const at = messages.findIndex((message, index) => message.role === 'tool' && messages[index + 1]?.role === 'tool');
    if (at !== -1) messages.splice(at, 2, messages[at + 1] as JsonObject, messages[at] as JsonObject);
  },
  'one id in every turn': (request) => {
    for (const message of messagesOf(request)) {
      if (message.role === 'tool') message.tool_call_id = 'call_1';
      else if (Array.isArray(message.tool_calls))
        message.tool_calls = message.tool_calls.slice(0, 1).map((call) => ({ ...(call as JsonObject), id: 'call_1' }));
    }
  },
  'long and odd ids': (request) => {
    const id = `call_${'x'.repeat(90)}:|/é`;
    const call = callOf(assistants(request)[0] as JsonObject);
    for (const result of results(request)) if (result.tool_call_id === call.id) result.tool_call_id = id;
    call.id = id;
  },
  'Cline’s missing results': (request, random) =>
    void Object.assign(pick(random, results(request)), { content: 'result missing' }),
  'two user messages in a row': (request) =>
    void messagesOf(request).splice(1, 0, { role: 'user', content: 'Generate a title' }),
  'a system message in the middle': (request) =>
    void messagesOf(request).push({ role: 'system', content: 'Mode: act' }),
  'an assistant message at the end': (request) =>
    void messagesOf(request).push({ role: 'assistant', content: 'Sure, ' }),
  'two assistant messages in a row': (request) =>
    void messagesOf(request).push({ role: 'assistant', content: 'a' }, { role: 'assistant', content: 'b' }),
  'only a system message': (request) =>
    void ((request.messages = [{ role: 'system', content: 'hi' }]), delete request.tool_choice),
  'the old function protocol': (request) =>
    void messagesOf(request).push(
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'ok' },
    ),
  'allowed tools': (request) =>
    void (request.tool_choice = {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'Bash' } }] },
    }),
  'a custom tool': (request) =>
    void (request.tools as JsonValue[]).push({
      type: 'custom',
      custom: { name: 'apply_patch', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
    }),
  'stop as a string': (request) => void (request.stop = '\n\n'),
  'a very long text': (request) => void messagesOf(request).push({ role: 'user', content: 'x'.repeat(200_000) }),
  'lone surrogates and control characters': (request) =>
    void messagesOf(request).push({ role: 'user', content: '\ud800\u0000\u001b[31m<tool_call>\u2060' }),
  'a key __proto__': (request) =>
    void Object.assign(
      request,
      JSON.parse('{"extra_knob":{"__proto__":{"polluted":true},"constructor":1}}') as JsonObject,
    ),
};

/** A legal request with up to four oddities, and their names. */
export function odd(random: Random): { request: JsonObject; about: string } {
  const request = wellFormed(random);
  const names = Object.keys(oddities);
  const chosen = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, names));
  const about: string[] = [];
  for (const name of chosen) {
    // An oddity needs what it bends; after another one there may be none left.
    if (!Array.isArray(request.tools) || request.tools.length === 0 || assistants(request).length === 0) break;
    if (results(request).length === 0) break;
    oddities[name]?.(request, random);
    about.push(name);
  }
  // What one oddity takes away, another may name.
  if (!Array.isArray(request.tools) || request.tools.length === 0) delete request.tool_choice;
  if (chance(random, 0.1)) request.stream = null;
  return { request, about: about.join(', ') };
}
