import { describe, expect, it } from 'vitest';
import { apiKey, testProxy } from './test-proxy.ts';
import { json, testUpstream } from './test-upstream.ts';

const upstream = await testUpstream();
const baseUrls = [upstream.baseUrl];
const proxy = await testProxy([
  { name: 'native', strategy: 'native', baseUrls },
  { name: 'strict', strategy: 'strict', baseUrls },
  { name: 'prompt', strategy: 'prompt', dialect: 'hermes', baseUrls },
  { name: 'no-strict', strategy: 'native', baseUrls },
]);
proxy.snapshot.change('no-strict', { capabilities: { strict: false, parallel: false } });

const schemaOf = (at: number) => ({
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where it is, below the project’s root.' },
    line: { type: 'integer' },
  },
  required: ['path'],
  title: `Tool ${at}`,
});
const places = Array.from({ length: 20 }, (_, at) => at);
const chatTools = places.map((at) => ({
  type: 'function',
  function: { name: `tool_${at}`, description: 'Edits a file.', parameters: schemaOf(at), strict: at % 2 === 0 },
}));

const bodies: Record<string, (model: string) => readonly [path: string, body: object]> = {
  'chat completions': (model) => [
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'Go' }], tools: chatTools, tool_choice: 'auto' },
  ],
  responses: (model) => [
    '/v1/responses',
    { model, input: 'Go', tools: chatTools.map(({ type, function: tool }) => ({ type, ...tool })), store: false },
  ],
  messages: (model) => [
    '/v1/messages',
    {
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Go' }],
      tools: places.map((at) => ({ name: `tool_${at}`, description: 'Edits a file.', input_schema: schemaOf(at) })),
    },
  ],
  gemini: (model) => [
    `/v1beta/models/${model}:generateContent`,
    {
      contents: [{ role: 'user', parts: [{ text: 'Go' }] }],
      tools: [
        {
          functionDeclarations: places.map((at) => ({
            name: `tool_${at}`,
            description: 'Edits.',
            parameters: schemaOf(at),
          })),
        },
      ],
    },
  ],
};

const answer = json(200, {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
});

/** The body that the upstream receives for a client's. */
async function sent(path: string, body: object): Promise<string> {
  const before = upstream.received.length;
  const reply = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  });
  await reply.text();
  return upstream.received[before]?.text ?? '';
}

describe('requests that repeat their tools', () => {
  for (const [api, bodyOf] of Object.entries(bodies))
    it.each(['native', 'strict', 'prompt', 'no-strict'])(
      `of ${api} reach the model as the first did: %s`,
      async (model) => {
        upstream.behave(answer);
        const [path, body] = bodyOf(model);
        const first = await sent(path, body);
        expect(first).toContain('tool_19');
        for (let again = 0; again < 4; again++) expect(await sent(path, body)).toBe(first);
        const text = JSON.stringify(body);
        const changed = JSON.parse(text.replaceAll('Tool 17', 'Tool seventeen')) as object;
        for (let again = 0; again < 3; again++)
          expect(await sent(path, changed)).toBe(first.replaceAll('Tool 17', 'Tool seventeen'));
        expect(await sent(path, body)).toBe(first);
      },
    );

  it('of different strategies and choices do not change one another', async () => {
    upstream.behave(answer);
    const [path, body] = (bodies['chat completions'] as (typeof bodies)[string])('native');
    const variants = [
      body,
      { ...body, model: 'strict' },
      { ...body, model: 'no-strict' },
      { ...body, tool_choice: 'none' },
      {
        ...body,
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'tool_5' } }] },
        },
      },
      { ...body, model: 'prompt' },
    ];
    const firsts: string[] = [];
    for (const variant of variants) firsts.push(await sent(path, variant));
    expect(firsts.every((first) => first.includes('"model"'))).toBe(true);
    for (let round = 0; round < 4; round++)
      for (const [at, variant] of variants.entries()) expect(await sent(path, variant)).toBe(firsts[at]);
  });
});
