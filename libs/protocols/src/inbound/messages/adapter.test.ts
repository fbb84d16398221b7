import { runSync } from '@callsmith/stream';
import {
  Fault,
  fold,
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
import { call, end, faultOf as faultOfParsing, limits, reasoning, start, text, usage } from '../test-events.ts';
import { messages as adapter } from './adapter.ts';
import { contextMessage } from './context-message.ts';
import { thinkingSignature } from './thinking.ts';

const hi: JsonValue = [{ role: 'user', content: 'hi' }];
const body = (more: JsonObject = {}): JsonObject => ({ model: 'm', max_tokens: 100, messages: hi, ...more });
const turnOf = (more: JsonObject = {}): Turn => adapter.parseRequest(body(more), limits);
const messagesOf = (...messages: JsonValue[]): readonly Message[] => turnOf({ messages }).messages;
const head = { id: 'msg_1', model: 'public', createdAt: 1_700_000_000 };
const streamed = (turn: Turn, events: readonly TurnEvent[], fault?: Fault): string =>
  runSync(adapter.streamFrames(turn, head), [...events], fault).out.join('');
const faultOf = (more: JsonObject): Fault => faultOfParsing(() => turnOf(more));

describe('a response', () => {
  const events = [
    start,
    reasoning('Let me '),
    reasoning('see.'),
    text('I look'),
    text(' "here".\n'),
    ...call(0, '{"at": 1.0}'),
    ...call(1, '{}'),
    end('tool_calls'),
    usage,
  ];

  it('streams every event in the documented order, byte by byte', () => {
    const signature = thinkingSignature('Let me see.', 'text');
    expect(streamed(turnOf(), events)).toBe(`event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"public","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"${signature}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I look"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" \\"here\\".\\n"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"call_0","name":"look","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"at\\": 1.0}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"call_1","name":"look","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":20,"output_tokens":12}}

event: message_stop
data: {"type":"message_stop"}

`);
  });

  it('is the same whole', () => {
    expect(adapter.wholeResponse(turnOf(), head, fold(events))).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'public',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: thinkingSignature('Let me see.', 'text') },
        { type: 'text', text: 'I look "here".\n' },
        { type: 'tool_use', id: 'call_0', name: 'look', input: { at: 1 } },
        { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 20, output_tokens: 12 },
    });
  });

  it('D-5 numbers that a double cannot hold are sent unchanged', () => {
    const folded = fold([start, ...call(0, '{"id": 12345678901234567890}'), end('tool_calls')]);
    expect(writeJson(adapter.wholeResponse(turnOf(), head, folded))).toContain('"input":{"id":12345678901234567890}');
  });

  it('security 28: whatever the model writes, an event stays one event, and one block is open at a time', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }).map(text),
      fc.string().map(reasoning),
      fc.constant('call' as const),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        let calls = 0;
        const pieceEvents = pieces.flatMap((one) => (one === 'call' ? call(calls++, '{"a":"b"}') : [one]));
        const frames = streamed(turnOf(), [start, ...pieceEvents, end('stop'), usage])
          .split('\n\n')
          .slice(0, -1);
        let open: number | undefined;
        let next = 0;
        for (const frame of frames) {
          const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
          const event = JSON.parse(data) as JsonObject;
          expect(event.type).toBe(name);
          if (name === 'content_block_start') {
            expect(open).toBeUndefined();
            expect(event.index).toBe(next++);
            open = event.index as number;
          } else if (name?.startsWith('content_block')) expect(event.index).toBe(open);
          if (name === 'content_block_stop') open = undefined;
        }
        expect(open).toBeUndefined();
        expect(frames.at(0)).toContain('message_start');
        expect(frames.at(-1)).toContain('message_stop');
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['stop', undefined, 'end_turn', null],
    ['stop', { stop_reason: 'END' }, 'stop_sequence', 'END'],
    ['stop', { matched_stop: 'END' }, 'stop_sequence', 'END'],
    ['stop', { stop_reason: 128_009 }, 'end_turn', null],
    ['stop', { stop_reason: 'another' }, 'end_turn', null],
    ['length', undefined, 'max_tokens', null],
    ['tool_calls', undefined, 'tool_use', null],
    ['content_filter', undefined, 'refusal', null],
  ] as const)('%s with %j is the stop reason %s', (reason, extra, stopReason, sequence) => {
    const turn = turnOf({ stop_sequences: ['END'] });
    const answerEvents = [start, text('x'), end(reason, extra && { extra })];
    expect(adapter.wholeResponse(turn, head, fold(answerEvents))).toMatchObject({
      stop_reason: stopReason,
      stop_sequence: sequence,
    });
    expect(streamed(turn, answerEvents)).toContain(
      `"delta":{"stop_reason":"${stopReason}","stop_sequence":${JSON.stringify(sequence)}}`,
    );
  });

  it('an empty response is one empty text block', () => {
    expect(adapter.wholeResponse(turnOf(), head, fold([start, end('stop')])).content).toEqual([
      { type: 'text', text: '' },
    ]);
    expect(streamed(turnOf(), [start, end('stop')])).toContain('"content_block":{"type":"text","text":""}');
  });

  it('D-1 a call that was cut is no block', () => {
    const answerEvents = [start, ...call(0, '{"at": "x', false), end('length')];
    expect(streamed(turnOf(), answerEvents)).not.toContain('tool_use');
    expect(adapter.wholeResponse(turnOf(), head, fold(answerEvents))).toMatchObject({ stop_reason: 'max_tokens' });
  });

  it('thinking that the client disabled is left out; omitted thinking has no text', () => {
    const off = turnOf({ thinking: { type: 'disabled' } });
    expect(streamed(off, events)).not.toContain('thinking');
    expect(JSON.stringify(adapter.wholeResponse(off, head, fold(events)))).not.toContain('thinking');
    const omitted = turnOf({ thinking: { type: 'adaptive', display: 'omitted' } });
    expect(streamed(omitted, events)).not.toContain('see.');
    expect(streamed(omitted, events)).toContain('signature_delta');
  });

  it('a fault ends the stream with an error event of its own', () => {
    const out = streamed(turnOf(), [start, text('x')], new Fault('upstream_cut_off'));
    expect(out).not.toContain('message_stop');
    expect(out.split('\n\n').at(-2)).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"The model server closed the connection in the middle of its response.","code":"upstream_cut_off","origin":"upstream"}}',
    );
  });

  it('a silent stream gets pings', () => {
    expect(adapter.heartbeat(head)).toBe('event: ping\ndata: {"type": "ping"}\n\n');
  });
});

describe('errors', () => {
  it.each([
    ['invalid_api_key', 401, 'authentication_error'],
    ['conflicting_api_keys', 403, 'permission_error'],
    ['insufficient_quota', 403, 'permission_error'],
    ['model_not_found', 404, 'not_found_error'],
    ['not_found', 404, 'not_found_error'],
    ['method_not_allowed', 405, 'invalid_request_error'],
    ['invalid_json', 400, 'invalid_request_error'],
    ['body_too_large', 413, 'request_too_large'],
    ['rate_limit_exceeded', 429, 'rate_limit_error'],
    ['upstream_rate_limited', 429, 'rate_limit_error'],
    ['internal_error', 500, 'api_error'],
    ['upstream_error', 502, 'api_error'],
    ['upstream_timeout', 504, 'timeout_error'],
    ['no_upstream', 529, 'overloaded_error'],
    ['shutting_down', 529, 'overloaded_error'],
  ] as const)('%s is %i %s', (code, status, type) => {
    const fault = new Fault(code, 'Why.', { headers: { 'retry-after': '3' } });
    expect(adapter.errorResponse(fault, 'req_1')).toEqual({
      status,
      headers: { 'retry-after': '3' },
      body: { type: 'error', error: { type, message: 'Why.', code, origin: fault.origin }, request_id: 'req_1' },
    });
  });

  it.each([
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
      'prompt is too long: 8500 tokens > 8192 maximum',
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 32700 tokens (700 in the messages, 32000 in the completion). Please reduce the length of the messages or completion.",
      'input length and `max_tokens` exceed context limit: 700 + 32000 > 8192, decrease input length or `max_tokens` and try again',
    ],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 700 input tokens (32000 > 8192 - 700).",
      'input length and `max_tokens` exceed context limit: 700 + 32000 > 8192, decrease input length or `max_tokens` and try again',
    ],
    [
      "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 32700 tokens: 700 tokens from the input messages and 32000 tokens for the completion.",
      'input length and `max_tokens` exceed context limit: 700 + 32000 > 8192, decrease input length or `max_tokens` and try again',
    ],
    [
      "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
      'prompt is too long: 9000 tokens > 8192 maximum',
    ],
    [
      'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      'prompt is too long: 9000 tokens > 8192 maximum',
    ],
    [
      "This model's maximum context length is 8192 tokens, but the prompt has 9000 tokens, about 800 of them for the tools. Shorten the messages or offer fewer tools.",
      'prompt is too long: 9000 tokens > 8192 maximum',
    ],
    ['context length exceeded', 'prompt is too long: context length exceeded'],
  ])('a prompt that is too long: %s', (message, expected) => {
    expect(contextMessage(message)).toBe(expected);
  });
});

describe('a conversation', () => {
  it('results come first, separately, and everything else of the message after them', () => {
    expect(
      messagesOf(
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
            { type: 'tool_use', id: 'b', name: 'look', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And hurry.' },
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [
                { type: 'text', text: 'Seen' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
              ],
            },
            { type: 'tool_result', tool_use_id: 'b', is_error: true, content: 'no such place' },
          ],
        },
      ),
    ).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: 'Looking.',
        calls: [
          { id: 'a', name: 'look', arguments: '{"at":1}' },
          { id: 'b', name: 'look', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'a', content: 'Seen\n[picture or file: see the next message]' },
      { role: 'tool', callId: 'b', content: 'Error: no such place' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the tool results above:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'text', text: 'And hurry.' },
        ],
      },
    ]);
  });

  it('gives the index of each message in the client’s own list', () => {
    const turn = turnOf({
      system: 'S',
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'tool_result', tool_use_id: 'a' },
          ],
        },
      ],
    });
    expect(turn.messages.map((_, at) => adapter.messagePath(turn, at))).toEqual([
      'system',
      'messages[0]',
      'messages[1].content[1]',
      'messages[1]',
    ]);
  });

  it('system text and blocks, without the billing line; inline system keeps its place', () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cch=12345;' },
      { type: 'text', text: 'You are a tool.' },
      { type: 'text', text: 'Be brief.' },
    ];
    const { messages } = turnOf({
      system,
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'system',
          content: [
            { type: 'text', text: 'Environment' },
            { type: 'tool_addition', tools: [] },
          ],
        },
        { role: 'assistant', content: 'yes' },
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: system.slice(1) },
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'Environment' },
      { role: 'assistant', content: 'yes', calls: [] },
    ]);
  });

  it('the gateway’s thinking comes back as reasoning, as it was shown or omitted; any other is left out', () => {
    const thinking = 'Ich überlege… 🤔';
    const assistant = (block: JsonObject): Message | undefined =>
      messagesOf(
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [block, { type: 'text', text: 'x' }] },
      )[1];
    const ours = { role: 'assistant', content: 'x', calls: [], reasoning: thinking };
    const none = { role: 'assistant', content: 'x', calls: [] };
    expect(assistant({ type: 'thinking', thinking, signature: thinkingSignature(thinking, 'text') })).toEqual(ours);
    expect(assistant({ type: 'thinking', thinking: '', signature: thinkingSignature(thinking, 'omitted') })).toEqual(
      ours,
    );
    expect(assistant({ type: 'redacted_thinking', data: thinkingSignature(thinking, 'omitted') })).toEqual(ours);
    expect(
      assistant({ type: 'thinking', thinking: `${thinking}!`, signature: thinkingSignature(thinking, 'text') }),
    ).toEqual(none);
    expect(assistant({ type: 'thinking', thinking, signature: 'EqQBCkYIARgC' })).toEqual(none);
    expect(assistant({ type: 'thinking', thinking, signature: '' })).toEqual(none);
    expect(assistant({ type: 'thinking', thinking })).toEqual(none);
    expect(assistant({ type: 'thinking', thinking: '', signature: 'callsmith.1.text.%%%' })).toEqual(none);
    expect(assistant({ type: 'redacted_thinking', data: 'EmwKAhgB' })).toEqual(none);
  });

  it('documents are text, or a file if they are not; search results and tool references are text', () => {
    const [message] = messagesOf({
      role: 'user',
      content: [
        { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'more' }] } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
        { type: 'search_result', source: 'https://x', title: 'X', content: [{ type: 'text', text: 'found' }] },
        { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
      ],
    });
    expect(message?.content).toEqual([
      { type: 'text', text: 'T\nwords' },
      { type: 'text', text: 'more' },
      { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      { type: 'text', text: 'X\nhttps://x\nfound' },
      { type: 'image_url', image_url: { url: 'https://x/y.png' } },
    ]);
    const result = messagesOf({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name: 'Grep' }] }],
    });
    expect(result).toEqual([{ role: 'tool', callId: 'a', content: 'The tool Grep can be called now.' }]);
  });

  it('blocks that only Anthropic’s servers know are dropped and reported; empty text is nothing', () => {
    const turn = turnOf({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'hi' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'text', text: 'found' },
          ],
        },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] },
      ],
    });
    expect(turn.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'found', calls: [] },
    ]);
    expect(turn.dropped).toEqual(['messages[1].content[0] (server_tool_use)']);
  });

  it('D-5 past arguments keep numbers that a double cannot hold', () => {
    const given = parseExact(
      '{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{"id":12345678901234567890}}]}]}',
    );
    const { messages } = adapter.parseRequest(given, limits);
    expect(messages[0]).toMatchObject({ calls: [{ arguments: '{"id":12345678901234567890}' }] });
  });
});

describe('tools', () => {
  const look = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } };

  it('are functions; deferred ones are offered, and their placeholder is not', () => {
    const { tools } = turnOf({
      tools: [
        { ...look, strict: true, eager_input_streaming: true, input_examples: [{}], allowed_callers: ['direct'] },
        { ...look, name: 'DeferredToolPlaceholder', defer_loading: true },
        { ...look, name: 'Grep', type: null, defer_loading: true },
      ],
    });
    expect(tools.list).toEqual([
      { name: 'look', description: 'Looks.', parameters: look.input_schema, strict: true },
      { name: 'Grep', description: 'Looks.', parameters: look.input_schema },
    ]);
  });

  it('that run at the client are functions with its parameters', () => {
    const { tools } = turnOf({
      tools: [
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10_000 },
        { type: 'memory_20250818', name: 'memory' },
      ],
    });
    expect(
      tools.list.map(({ name, parameters }) => [name, Object.keys(parameters?.properties ?? {}).slice(0, 2)]),
    ).toEqual([
      ['bash', ['command', 'restart']],
      ['str_replace_based_edit_tool', ['command', 'path']],
      ['memory', ['command', 'path']],
    ]);
  });

  it('that run at Anthropic’s servers are dropped and reported if there are others', () => {
    const turn = turnOf({ tools: [look, { type: 'code_execution_20250825', name: 'code_execution' }] });
    expect(turn.tools.size).toBe(1);
    expect(turn.dropped).toEqual(['tools[1] (code_execution_20250825)']);
  });

  it('that run at Anthropic’s servers are refused if nothing else is offered, or if one is forced', () => {
    const search = { type: 'web_search_20260209', name: 'web_search' };
    expect(faultOf({ tools: [search] })).toMatchObject({
      status: 400,
      param: 'tools',
      message: expect.stringContaining('web_search_20260209'),
    });
    expect(faultOf({ tools: [look, search], tool_choice: { type: 'tool', name: 'web_search' } })).toMatchObject({
      param: 'tool_choice',
    });
  });

  it('Claude Code’s own web search gets a response without one', () => {
    const turn = turnOf({
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
      tool_choice: { type: 'tool', name: 'web_search' },
    });
    expect(turn).toMatchObject({ toolChoice: 'auto', dropped: ['tools[0] (web_search_20250305)'] });
    expect(turn.tools.size).toBe(0);
  });

  it('with long names are shortened for the model and have their full names for the client', () => {
    const name = `mcp__${'a'.repeat(100)}`;
    const turn = turnOf({
      tools: [{ ...look, name }],
      tool_choice: { type: 'tool', name },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name, input: {} }] },
      ],
    });
    const short = turn.tools.list[0]?.name ?? '';
    expect(short.length).toBeLessThanOrEqual(64);
    expect(turn.toolChoice).toEqual({ name: short });
    expect(turn.messages[1]).toMatchObject({ calls: [{ name: short }] });
    const made: TurnEvent[] = [
      start,
      { type: 'tool-start', choice: 0, index: 0, id: 'call_0', name: short },
      { type: 'tool-delta', choice: 0, index: 0, json: '{}' },
      { type: 'tool-end', choice: 0, index: 0, whole: true },
      end('tool_calls'),
    ];
    expect(streamed(turn, made)).toContain(`"name":"${name}"`);
    expect(adapter.wholeResponse(turn, head, fold(made)).content).toMatchObject([{ name }]);
  });

  it.each([
    [undefined, 'auto', true],
    [{ type: 'auto' }, 'auto', true],
    [{ type: 'auto', disable_parallel_tool_use: true }, 'auto', false],
    [{ type: 'any' }, 'required', true],
    [{ type: 'any', disable_parallel_tool_use: true }, 'required', false],
    [{ type: 'tool', name: 'look' }, { name: 'look' }, true],
    [{ type: 'none' }, 'none', true],
  ] as const)('tool_choice %j', (choice, read, parallel) => {
    const turn = turnOf({ tools: [look], ...(choice && { tool_choice: { ...choice } }) });
    expect(turn).toMatchObject({ toolChoice: read, parallel });
  });
});

describe('parameters', () => {
  it('are forwarded under the names of chat completions', () => {
    const schema = { type: 'object', properties: { title: { type: 'string' } } };
    expect(
      turnOf({
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        stop_sequences: ['END'],
        thinking: { type: 'adaptive' },
        output_config: { effort: 'max', format: { type: 'json_schema', schema } },
      }).sampling,
    ).toEqual({
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: ['END'],
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } },
    });
  });

  it('that no model server knows are ignored, and the user’s id goes nowhere', () => {
    const given = {
      metadata: { user_id: 'user_123' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      mcp_servers: [],
      service_tier: 'auto',
      speed: 'fast',
      diagnostics: {},
      safeguards: ['x'],
      cache_control: { type: 'ephemeral' },
      container: null,
    };
    expect(turnOf(given).sampling).toEqual({ max_tokens: 100 });
    expect(JSON.stringify(turnOf(given))).not.toContain('user_123');
    expect(adapter.userOf?.(body(given))).toEqual({ member: 'user_id', value: 'user_123' });
  });

  it('max_tokens is required, except for a count', () => {
    const { max_tokens: _, ...without } = body();
    expect(() => adapter.parseRequest(without, limits)).toThrow(/^max_tokens: expected/);
    expect(adapter.counting?.parseRequest(without, limits)).toMatchObject({ model: 'm' });
  });
});

const look = { name: 'look', input_schema: { type: 'object' } };
const user = (...content: JsonValue[]): JsonObject => ({ messages: [{ role: 'user', content }] });
const assistant = (...content: JsonValue[]): JsonObject => ({ messages: [{ role: 'assistant', content }] });
const source = (more: JsonObject): JsonObject => user({ type: 'image', source: more });

it.each<[string, JsonObject]>([
  ['model', { model: 1 }],
  ['model', { model: '' }],
  ['max_tokens', { max_tokens: '100' }],
  ['max_tokens', { max_tokens: 0 }],
  ['max_tokens', { max_tokens: null }],
  ['messages', { messages: 'hi' }],
  ['messages', { messages: [] }],
  ['messages[0]', { messages: ['hi'] }],
  ['messages[0].role', { messages: [{ role: 'tool', content: 'x' }] }],
  ['messages[0].role', { messages: [{ content: 'x' }] }],
  ['messages[0].content', { messages: [{ role: 'user', content: 1 }] }],
  ['messages[0].content', { messages: [{ role: 'user' }] }],
  ['messages[0].content', { messages: [{ role: 'assistant', content: {} }] }],
  ['messages[0].content', { messages: [{ role: 'system', content: 1 }] }],
  ['messages[0].content[0]', user('hi')],
  ['messages[0].content[0].type', user({})],
  ['messages[0].content[0].text', user({ type: 'text', text: 1 })],
  ['messages[0].content[0].source', user({ type: 'image' })],
  ['messages[0].content[0].source.type', source({ type: 'ftp' })],
  ['messages[0].content[0].source.type', source({ type: 'file', file_id: 'file_1' })],
  ['messages[0].content[0].source.data', source({ type: 'base64', media_type: 'image/png', data: 1 })],
  ['messages[0].content[0].source.media_type', source({ type: 'base64', data: 'AAAA' })],
  ['messages[0].content[0].source.url', source({ type: 'url', url: null })],
  ['messages[0].content[0].source.type', user({ type: 'document', source: { type: 'url', url: 'https://x/y.pdf' } })],
  ['messages[0].content[0].source.data', user({ type: 'document', source: { type: 'text', data: {} } })],
  ['messages[0].content[0].source.content', user({ type: 'document', source: { type: 'content', content: 1 } })],
  ['messages[0].content[0].content', user({ type: 'search_result', title: 'T', source: 'S', content: 1 })],
  ['messages[0].content[0].tool_use_id', user({ type: 'tool_result', content: 'x' })],
  ['messages[0].content[0].tool_use_id', user({ type: 'tool_result', tool_use_id: 1 })],
  ['messages[0].content[0].is_error', user({ type: 'tool_result', tool_use_id: 'a', is_error: 'no' })],
  ['messages[0].content[0].content', user({ type: 'tool_result', tool_use_id: 'a', content: 1 })],
  [
    'messages[0].content[0].content[0].text',
    user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text' }] }),
  ],
  [
    'messages[0].content[0].content[0].tool_name',
    user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference' }] }),
  ],
  ['messages[0].content[0].id', assistant({ type: 'tool_use', id: 1, name: 'look', input: {} })],
  ['messages[0].content[0].name', assistant({ type: 'tool_use', id: 'a', name: '', input: {} })],
  ['messages[0].content[0].input', assistant({ type: 'tool_use', id: 'a', name: 'look', input: '{}' })],
  ['messages[0].content[0].input', assistant({ type: 'tool_use', id: 'a', name: 'look' })],
  ['messages[0].content[0].thinking', assistant({ type: 'thinking', thinking: 1, signature: '' })],
  ['messages[0].content[0].signature', assistant({ type: 'thinking', thinking: 'x', signature: 1 })],
  ['messages[0].content[0].data', assistant({ type: 'redacted_thinking', data: 1 })],
  ['system', { system: 1 }],
  ['system[0]', { system: ['x'] }],
  ['system[0].text', { system: [{ type: 'text', text: 1 }] }],
  ['system[0].type', { system: [{ text: 'x' }] }],
  ['stream', { stream: 'yes' }],
  ['temperature', { temperature: 'hot' }],
  ['top_p', { top_p: 2 }],
  ['top_k', { top_k: 1.5 }],
  ['stop_sequences', { stop_sequences: 'END' }],
  ['stop_sequences[0]', { stop_sequences: [1] }],
  ['metadata', { metadata: 'x' }],
  ['metadata.user_id', { metadata: { user_id: 1 } }],
  ['thinking', { thinking: true }],
  ['thinking.type', { thinking: {} }],
  ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 'many' } }],
  ['output_config', { output_config: 'high' }],
  ['output_config.effort', { output_config: { effort: 1 } }],
  ['output_config.format.schema', { output_config: { format: { type: 'json_schema' } } }],
  ['output_format.type', { output_format: { type: 'xml' } }],
  ['tools', { tools: {} }],
  ['tools[0]', { tools: ['look'] }],
  ['tools[0].name', { tools: [{ ...look, name: 1 }] }],
  ['tools[0].type', { tools: [{ ...look, type: 1 }] }],
  ['tools[0].description', { tools: [{ ...look, description: 1 }] }],
  ['tools[0].strict', { tools: [{ ...look, strict: 'yes' }] }],
  ['tools[0].input_schema', { tools: [{ name: 'look' }] }],
  ['tools[0].input_schema.type', { tools: [{ name: 'look', input_schema: { type: 'array' } }] }],
  ['tool_choice', { tools: [look], tool_choice: 'auto' }],
  ['tool_choice', { tools: [look], tool_choice: { type: 'tool', name: 'other' } }],
  ['tool_choice', { tool_choice: { type: 'any' } }],
  ['tool_choice.type', { tools: [look], tool_choice: { type: 'some' } }],
  ['tool_choice.name', { tools: [look], tool_choice: { type: 'tool' } }],
  [
    'tool_choice.disable_parallel_tool_use',
    { tools: [look], tool_choice: { type: 'auto', disable_parallel_tool_use: 1 } },
  ],
])('a wrong %s is refused by name: %j', (param, more) => {
  const fault = faultOf(more);
  expect(fault).toMatchObject({ status: 400, param });
  const { body } = adapter.errorResponse(fault, 'req_1') as { body: { error: JsonObject } };
  expect(body.error).toMatchObject({ type: 'invalid_request_error', param });
  expect(body.error.message).toContain(param);
});

it('every invalid body gives a fault with its path', () => {
  const values = fc.jsonValue();
  const field = fc.constantFrom(
    ...Object.keys(
      body({ system: 1, tools: 1, tool_choice: 1, thinking: 1, output_config: 1, stop_sequences: 1, metadata: 1 }),
    ),
  );
  fc.assert(
    fc.property(
      fc.dictionary(field, values),
      fc.array(fc.dictionary(fc.constantFrom('role', 'content', 'type'), values)),
      (more, messages) => {
        try {
          turnOf({ ...(more as JsonObject), ...(messages.length > 0 && { messages: messages as JsonValue }) });
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          expect((error as Fault).status).toBe(400);
        }
      },
    ),
    { numRuns: 300 },
  );
});
