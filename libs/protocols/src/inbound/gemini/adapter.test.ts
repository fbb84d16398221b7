import { runSync } from '@callsmith/stream';
import {
  Fault,
  fold,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  parseExact,
  type Turn,
  type TurnEvent,
  writeJson,
} from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  call,
  usage as counted,
  end,
  faultOf as faultOfParsing,
  limits,
  reasoning,
  start,
  text,
} from '../test-events.ts';
import { gemini as adapter } from './adapter.ts';
import { thoughtSignature } from './thought-signature.ts';

const hi: JsonValue = [{ role: 'user', parts: [{ text: 'hi' }] }];
const turnOf = (more: JsonObject = {}): Turn => adapter.parseRequest({ model: 'm', contents: hi, ...more }, limits);
const messagesOf = (...contents: JsonValue[]): readonly Message[] => turnOf({ contents }).messages;
const declared = (...functionDeclarations: JsonValue[]): JsonObject => ({ tools: [{ functionDeclarations }] });
const head = { id: 'gen_1', model: 'public', createdAt: 1_700_000_000 };
const faultOf = (more: JsonObject): Fault => faultOfParsing(() => turnOf(more));

const usage = { ...counted, upstream: { completion_tokens_details: { reasoning_tokens: 5 } } } as TurnEvent;
const streamed = (turn: Turn, events: readonly TurnEvent[], fault?: Fault): string =>
  runSync(adapter.streamFrames(turn, head), [...events], fault).out.join('');
const chunksOf = (stream: string): JsonObject[] =>
  stream
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => parseExact(frame.slice('data: '.length)) as JsonObject);
// biome-ignore lint/suspicious/noExplicitAny: responses, read as they come.
const partsIn = (chunks: readonly any[]): any[] => chunks.flatMap(({ candidates }) => candidates[0].content.parts);

const thinking = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

describe('a response', () => {
  const events = [
    start,
    reasoning('Let me '),
    reasoning('see.'),
    text('I "look"\n'),
    ...call(0, '{"at": 1.5,\n "id": 12345678901234567890}'),
    ...call(1, '{}'),
    usage,
    end('tool_calls'),
  ];

  it('streams one part per frame, byte by byte', () => {
    const signature = thoughtSignature('Let me see.');
    const tail = ',"modelVersion":"public","responseId":"gen_1"}';
    expect(streamed(turnOf(thinking), events)).toBe(
      [
        `data: {"candidates":[{"content":{"parts":[{"text":"Let me ","thought":true}],"role":"model"},"index":0}]${tail}`,
        `data: {"candidates":[{"content":{"parts":[{"text":"see.","thought":true}],"role":"model"},"index":0}]${tail}`,
        `data: {"candidates":[{"content":{"parts":[{"text":"I \\"look\\"\\n"}],"role":"model"},"index":0}]${tail}`,
        `data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"call_0","name":"look","args":{"at":1.5,"id":12345678901234567890}},"thoughtSignature":"${signature}"}],"role":"model"},"index":0}]${tail}`,
        `data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"call_1","name":"look","args":{}}}],"role":"model"},"index":0}]${tail}`,
        `data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":30,"candidatesTokenCount":7,"thoughtsTokenCount":5,"cachedContentTokenCount":20,"totalTokenCount":42}${tail}`,
        '',
      ].join('\n\n'),
    );
  });

  it('is the same whole, with its numbers unchanged', () => {
    const turn = turnOf(thinking);
    const whole = parseExact(writeJson(adapter.wholeResponse(turn, head, fold(events)))) as JsonObject;
    const chunks = chunksOf(streamed(turn, events));
    const joined = partsIn([whole]);
    expect(joined[0]).toEqual({ text: 'Let me see.', thought: true });
    expect(writeJson(joined.slice(1))).toBe(
      writeJson(partsIn(chunks).filter(({ text: content, thought }) => content !== '' && !thought)),
    );
    expect(writeJson(whole)).toContain('"args":{"at":1.5,"id":12345678901234567890}');
    expect(whole.usageMetadata).toEqual(chunks.at(-1)?.usageMetadata);
  });

  it('hides thoughts that were not requested, and signs the call all the same', () => {
    const parts = partsIn(chunksOf(streamed(turnOf(), events)));
    expect(parts.some(({ thought }) => thought)).toBe(false);
    expect(parts.find(({ functionCall }) => functionCall).thoughtSignature).toBe(thoughtSignature('Let me see.'));
  });

  it('has a part even if it is empty', () => {
    const whole = adapter.wholeResponse(turnOf(), head, fold([start, end('stop')]));
    expect(partsIn([whole])).toEqual([{ text: '' }]);
    expect(partsIn(chunksOf(streamed(turnOf(), [start, end('stop')])))).toEqual([{ text: '' }]);
  });

  it.each([
    ['length', 'MAX_TOKENS'],
    ['content_filter', 'SAFETY'],
    ['stop', 'STOP'],
  ] as const)('ended by %s says %s; a cut call is no part', (reason, finishReason) => {
    const cut = [start, text('a'), ...call(0, '{"at": "b', false), end(reason)];
    const chunks = chunksOf(streamed(turnOf(), cut));
    expect(partsIn(chunks)).toEqual([{ text: 'a' }, { text: '' }]);
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason }] });
  });

  it('has as many candidates as requested, each with its finish reason, and its counts once', () => {
    const turn = turnOf({ generationConfig: { candidateCount: 2 } });
    expect(turn).toMatchObject({ n: 2, given: ['n'] });
    const chunks = chunksOf(
      streamed(turn, [start, text('a'), text('b', 1), end('stop'), end('length', { choice: 1 }), usage]),
    );
    expect(chunks.slice(0, 2)).toMatchObject([{ candidates: [{ index: 0 }] }, { candidates: [{ index: 1 }] }]);
    expect(chunks.slice(2)).toMatchObject([
      { candidates: [{ index: 0, finishReason: 'STOP' }] },
      { candidates: [{ index: 1, finishReason: 'MAX_TOKENS' }], usageMetadata: { totalTokenCount: 42 } },
    ]);
    expect(chunks[2]).not.toHaveProperty('usageMetadata');
  });

  it('that fails ends with the error, as Google’s clients expect it', () => {
    const fault = new Fault('upstream_rate_limited', 'Wait.', { headers: { 'retry-after': '3' } });
    expect(chunksOf(streamed(turnOf(), [start, text('a')], fault)).at(-1)).toEqual({
      error: {
        code: 429,
        message: 'Wait.',
        status: 'RESOURCE_EXHAUSTED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'UPSTREAM_RATE_LIMITED',
            domain: 'callsmith',
            metadata: { code: 'upstream_rate_limited', origin: fault.origin },
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' },
        ],
      },
    });
  });

  it('because its messages are too long, names `contents`', () => {
    const fault = new Fault('context_length_exceeded', 'Too long.', { param: 'messages' });
    expect(chunksOf(streamed(turnOf(), [start, text('a')], fault)).at(-1)).toMatchObject({
      error: { details: [{ metadata: { param: 'contents' } }] },
    });
  });
});

describe('a conversation', () => {
  const asks = (...parts: JsonValue[]): JsonValue => ({ role: 'model', parts });
  const calls = (name: string, args: JsonObject, id?: string): JsonObject => ({
    functionCall: { name, args, ...(id !== undefined && { id }) },
  });
  const answers = (name: string, response: JsonValue, id?: string): JsonObject => ({
    functionResponse: { name, response, ...(id !== undefined && { id }) },
  });
  const userMessage = (...parts: JsonValue[]): JsonValue => ({ role: 'user', parts });

  it('has its instruction first, in either spelling', () => {
    const instruction = { parts: [{ text: 'Be' }] };
    const lead = { role: 'system', content: 'Be' };
    expect(turnOf({ systemInstruction: instruction }).messages[0]).toEqual(lead);
    expect(turnOf({ system_instruction: instruction }).messages[0]).toEqual(lead);
    expect(turnOf({ systemInstruction: { parts: [] } }).messages).toHaveLength(1);
  });

  it('matches results to calls by id, and by name and order if there is none', () => {
    const messages = messagesOf(
      ...(hi as JsonValue[]),
      asks(calls('look', { at: 'a' }), calls('look', { at: 'b' }), calls('go', {}, 'g1')),
      userMessage(
        answers('go', { output: 'went' }, 'g1'),
        answers('look', { output: 'A' }),
        answers('look', { output: 'B' }),
      ),
    );
    const ids = messages.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : []));
    expect(new Set(ids).size).toBe(3);
    expect(messages.slice(2)).toEqual([
      { role: 'tool', callId: 'g1', content: 'went' },
      { role: 'tool', callId: ids[0], content: 'A' },
      { role: 'tool', callId: ids[1], content: 'B' },
    ]);
    // The next request of the same conversation begins with the same bytes.
    expect(messagesOf(...(hi as JsonValue[]), asks(calls('look', { at: 'a' })))[1]).toMatchObject({
      calls: [{ id: ids[0] }],
    });
  });

  it('recognizes an id that Gemini CLI put the tool’s name before', () => {
    const messages = messagesOf(
      asks(calls('look', {}, 'look__call_1')),
      userMessage(answers('look', { output: 'A' }, 'look__call_1')),
    );
    expect(messages).toMatchObject([{ calls: [{ id: 'call_1' }] }, { callId: 'call_1' }]);
  });

  it('has results as text: the output, the error, or all of it', () => {
    const messages = messagesOf(
      asks(calls('a', {}), calls('b', {}), calls('c', {}), calls('d', {})),
      userMessage(
        answers('a', { output: { lines: 1 } }),
        answers('b', { error: 'none' }),
        answers('c', { size: 3 }),
        { functionResponse: { name: 'd', parts: [{ inlineData: { mimeType: 'image/png', data: 'aaaa' } }] } },
        { text: 'Well?' },
      ),
    );
    expect(messages.slice(1).map(({ content }) => content)).toEqual([
      '{"lines":1}',
      'Error: none',
      '{"size":3}',
      '[picture or file: see the next message]',
      [
        { type: 'text', text: 'From the tool results above:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } },
        { type: 'text', text: 'Well?' },
      ],
    ]);
  });

  it('has the gateway’s reasoning from its signature, and no one else’s', () => {
    const own = { ...calls('look', {}), thoughtSignature: thoughtSignature('Hm … 🤔') };
    expect(messagesOf(asks(own))).toMatchObject([{ reasoning: 'Hm … 🤔' }]);
    const foreign = { ...calls('look', {}), thoughtSignature: 'c2tpcA==' };
    expect(messagesOf(asks({ text: 'I think', thought: true }, foreign))[0]).not.toHaveProperty('reasoning');
    expect(messagesOf(asks({ text: 'a' }, { thoughtSignature: '%%%' }))[0]).toMatchObject({ content: 'a' });
  });

  it('accepts images, texts, sound and files, in either spelling', () => {
    const [message] = messagesOf(
      userMessage(
        { inline_data: { mime_type: 'image/png', data: 'aaaa' } },
        { inlineData: { mimeType: 'text/plain', data: btoa('caf\u00c3\u00a9') } },
        { inlineData: { mimeType: 'audio/wav', data: 'bbbb' } },
        { inlineData: { mimeType: 'application/pdf', data: 'cccc' } },
        { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.jpg' } },
      ),
    );
    expect(message?.content).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } },
      { type: 'text', text: 'café' },
      { type: 'input_audio', input_audio: { data: 'bbbb', format: 'wav' } },
      { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,cccc' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.jpg' } },
    ]);
  });

  it('reports parts that no model server accepts', () => {
    expect(turnOf({ contents: [userMessage({ text: 'a' }, { toolUse: {} })] }).dropped).toEqual([
      'contents[0].parts[1] (toolUse)',
    ]);
  });
});

describe('tools', () => {
  it('are declared by JSON schema, or by this API’s own', () => {
    const schema = { type: 'object', properties: { at: { type: ['string', 'null'] } } };
    const { tools } = turnOf(
      declared(
        { name: 'a', parametersJsonSchema: schema },
        {
          name: 'b',
          description: 'Does.',
          parameters: {
            type: 'OBJECT',
            properties: {
              type: { type: 'STRING', enum: ['x', 'y'], nullable: true },
              list: { type: 'ARRAY', items: { anyOf: [{ type: 'INTEGER' }, { type: 'NUMBER' }] }, minItems: '1' },
            },
            required: ['type'],
            propertyOrdering: ['type', 'list'],
          },
        },
        { name: 'c' },
      ),
    );
    expect(tools.list).toEqual([
      { name: 'a', parameters: schema },
      {
        name: 'b',
        description: 'Does.',
        parameters: {
          type: 'object',
          properties: {
            type: { type: ['string', 'null'], enum: ['x', 'y', null] },
            list: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'number' }] }, minItems: 1 },
          },
          required: ['type'],
        },
      },
      { name: 'c' },
    ]);
  });

  it.each<[JsonObject, Turn['toolChoice'], string[]?]>([
    [{ mode: 'AUTO' }, 'auto'],
    [{ mode: 'VALIDATED' }, 'auto'],
    [{ mode: 'NONE' }, 'none'],
    [{ mode: 'ANY' }, 'required'],
    [{ mode: 'ANY', allowedFunctionNames: ['b'] }, { name: 'b' }, ['b']],
    [{ mode: 'ANY', allowed_function_names: ['a', 'b'] }, 'required', ['a', 'b']],
  ])('chosen by %j', (functionCallingConfig, choice, only = ['a', 'b', 'c']) => {
    const turn = turnOf({
      ...declared({ name: 'a' }, { name: 'b' }, { name: 'c' }),
      toolConfig: { functionCallingConfig },
    });
    expect(turn.toolChoice).toEqual(choice);
    expect(turn.tools.list.map(({ name }) => name)).toEqual(only);
  });

  it('that run only on Google’s servers are dropped and reported, and refused if there are no others', () => {
    const search = { googleSearch: {} };
    const { tools, dropped } = turnOf({ tools: [{ functionDeclarations: [{ name: 'a' }] }, search] });
    expect([tools.size, dropped]).toEqual([1, ['tools[1].googleSearch']]);
    expect(faultOf({ tools: [search] }).message).toContain('tools[0].googleSearch');
  });
});

it('sampling parameters go under the names of chat completions', () => {
  const { sampling } = turnOf({
    generationConfig: {
      temperature: 1,
      topP: 0.9,
      top_k: 64,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      seed: 7,
      thinkingConfig: { thinkingLevel: 'HIGH' },
      responseMimeType: 'application/json',
    },
  });
  expect({ ...sampling }).toEqual({
    temperature: 1,
    top_p: 0.9,
    top_k: 64,
    max_tokens: 100,
    stop: ['END'],
    seed: 7,
    reasoning_effort: 'high',
    response_format: { type: 'json_object' },
  });
});

describe('errors are named', () => {
  const part = (value: JsonValue, role = 'user'): JsonObject => ({ contents: [{ role, parts: [value] }] });
  it.each<[string, JsonObject]>([
    ['contents', { contents: 'hi' }],
    ['contents', { contents: [] }],
    ['contents[0]', { contents: ['hi'] }],
    ['contents[0].role', { contents: [{ role: 'assistant', parts: [] }] }],
    ['contents[0].parts', { contents: [{ role: 'user' }] }],
    ['contents[0].parts[0]', part('hi')],
    ['contents[0].parts[0].text', part({ text: 1 })],
    ['contents[0].parts[0].inlineData.mimeType', part({ inlineData: { data: 'a' } })],
    ['contents[0].parts[0].inlineData.data', part({ inlineData: { mimeType: 'text/plain', data: '%' } })],
    ['contents[0].parts[0].fileData.fileUri', part({ fileData: { mimeType: 'image/png', fileUri: 'files/1' } })],
    ['contents[0].parts[0].functionCall.name', part({ functionCall: {} }, 'model')],
    ['contents[0].parts[0].functionCall.args', part({ functionCall: { name: 'a', args: [] } }, 'model')],
    ['contents[0].parts[0].functionResponse.name', part({ functionResponse: {} })],
    ['contents[0].parts[0].functionResponse.id', part({ functionResponse: { name: 'a', id: 1 } })],
    ['contents[0].parts[0].functionResponse.response', part({ functionResponse: { name: 'a', response: 'b' } })],
    ['systemInstruction', { systemInstruction: 1 }],
    ['systemInstruction.parts', { systemInstruction: {} }],
    ['tools', { tools: {} }],
    ['tools[0]', { tools: ['a'] }],
    ['tools[0].functionDeclarations[0].name', declared({})],
    ['tools[0].functionDeclarations[0].parameters.type', declared({ name: 'a', parameters: { type: 'STRING' } })],
    ['tools[0].functionDeclarations[0].parametersJsonSchema', declared({ name: 'a', parametersJsonSchema: 'x' })],
    ['toolConfig.functionCallingConfig.mode', { toolConfig: { functionCallingConfig: { mode: 'any' } } }],
    [
      'toolConfig.functionCallingConfig.allowedFunctionNames[0]',
      { ...declared({ name: 'a' }), toolConfig: { functionCallingConfig: { allowedFunctionNames: ['b'] } } },
    ],
    ['generationConfig', { generationConfig: 1 }],
    ['generationConfig.temperature', { generationConfig: { temperature: 9 } }],
    ['generationConfig.maxOutputTokens', { generationConfig: { max_output_tokens: 0 } }],
    ['generationConfig.responseModalities[0]', { generationConfig: { responseModalities: ['AUDIO'] } }],
    [
      'generationConfig.thinkingConfig.includeThoughts',
      { generationConfig: { thinkingConfig: { includeThoughts: 1 } } },
    ],
    ['generationConfig.responseMimeType', { generationConfig: { responseMimeType: 'text/html' } }],
    ['cachedContent', { cachedContent: 'cachedContents/1' }],
  ])('%s', (param, more) => {
    expect(faultOf(more)).toMatchObject({ param });
  });

  it('every input is parsed or refused, and nothing else', () => {
    const names = [
      ...['contents', 'parts', 'role', 'text', 'functionCall', 'functionResponse', 'name', 'args', 'response', 'tools'],
      ...['functionDeclarations', 'parameters', 'type', 'properties', 'toolConfig', 'functionCallingConfig', 'mode'],
      ...['generationConfig', 'inlineData', 'mimeType', 'data', 'thought', 'thoughtSignature', 'systemInstruction'],
    ];
    const json = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom<JsonValue>(null, true, 1, '', 'user', 'model', 'ANY', 'OBJECT', 'image/png'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        try {
          turnOf(isObject(value) ? value : { contents: value });
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          expect(error.message).not.toContain('undefined');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('an enum response', () => {
  const words = { type: 'STRING', enum: ['a', 'b "c"'] };
  const asking = (responseSchema: JsonValue): JsonObject => ({
    generationConfig: { responseMimeType: 'text/x.enum', responseSchema },
  });

  it('is requested as an object, which all model servers can be constrained to', () => {
    expect(turnOf(asking(words)).sampling.response_format).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'output',
        strict: true,
        schema: {
          type: 'object',
          properties: { value: { type: 'string', enum: ['a', 'b "c"'] } },
          required: ['value'],
          additionalProperties: false,
        },
      },
    });
  });

  it.each([
    ['{"value": "b \\"c\\""}', 'b "c"'],
    ['"a"', 'a'],
    [' a\n', 'a'],
    ['{"value":', '{"value":'],
    ['', ''],
  ])('%j is %j', (modelText, word) => {
    const turn = turnOf(asking(words));
    const events = [start, ...Array.from(modelText, (one) => text(one)), usage, end('stop')];
    const whole = adapter.wholeResponse(turn, head, fold(events));
    expect(partsIn([whole])).toEqual([{ text: word }]);
    const chunks = chunksOf(streamed(turn, events));
    expect(chunks).toMatchObject([{ candidates: [{ finishReason: 'STOP' }] }]);
    expect(partsIn(chunks)).toEqual([{ text: word }]);
  });

  it.each<JsonValue>([{ type: 'STRING' }, { enum: [] }, { enum: [1] }])('without values is refused: %j', (schema) => {
    expect(faultOf(asking(schema))).toMatchObject({ status: 400, param: 'generationConfig.responseSchema' });
  });
});

it('tokens are counted of only the contents, or of a whole request', () => {
  const count = (body: JsonObject): Turn | undefined => adapter.counting?.parseRequest({ model: 'm', ...body }, limits);
  expect(count({ contents: hi })?.messages).toHaveLength(1);
  const whole = count({ generateContentRequest: { model: 'models/x', contents: hi, ...declared({ name: 'a' }) } });
  expect([whole?.model, whole?.tools.size]).toEqual(['m', 1]);
  expect(adapter.counting?.response(7)).toEqual({ totalTokens: 7 });
});

describe('the models', () => {
  const models = ['a', 'b/c', 'd'].map((name) => ({ name, contextLength: 8192 }));
  const list = (query: Record<string, string> = {}) => adapter.modelList?.list(models, query);

  it('come in pages', () => {
    expect(list()).toMatchObject({ models: [{ name: 'models/a', inputTokenLimit: 8192 }, {}, {}] });
    expect(list()).not.toHaveProperty('nextPageToken');
    const first = list({ pageSize: '1' });
    expect(first).toMatchObject({ models: [{ displayName: 'a' }], nextPageToken: 'b/c' });
    expect(list({ pageSize: '2', pageToken: 'b/c' })).toMatchObject({ models: [{ displayName: 'b/c' }, {}] });
  });

  it.each(['x', '-1', '1.5'])('a page of %j is refused', (pageSize) => {
    expect(() => list({ pageSize })).toThrow(/pageSize/);
  });

  it('an unknown page token is refused', () => {
    expect(() => list({ pageToken: 'z' })).toThrow(/pageToken/);
  });
});

it('a key in the address is refused with the header’s name', () => {
  expect(() => adapter.checkQuery?.({ key: 'sk-1' })).toThrow(/x-goog-api-key/);
  expect(() => adapter.checkQuery?.({ alt: 'sse' })).not.toThrow();
});
