import { runSync } from '@callsmith/stream';
import { Fault, fold, type JsonObject, type JsonValue, type Turn, type TurnEvent } from '@callsmith/turn';
import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { faultOf as faultOfParsing, limits } from '../test-events.ts';
import { responses as front } from './adapter.ts';
import { storedState } from './stored-state.ts';

const body = (more: JsonObject = {}): JsonObject => ({ model: 'm', input: 'hi', ...more });
const turnOf = (more: JsonObject = {}): Turn => front.parseRequest(body(more), limits);
const newHead = () => ({ id: 'resp_1', model: 'public', createdAt: 1_700_000_000 });
const streamOf = (turn: Turn, events: TurnEvent[], fault?: Fault): string =>
  runSync(front.streamFrames(turn, newHead()), events, fault).out.join('');
const read = (text: string): JsonObject[] =>
  text
    .split('\n\n')
    .filter((frame) => frame.startsWith('event: '))
    .map((frame) => {
      const [name, data] = frame.split('\n');
      const event = JSON.parse((data as string).slice('data: '.length)) as JsonObject;
      expect(name).toBe(`event: ${String(event.type)}`);
      return event;
    });
const faultOf = (more: JsonObject): Fault => faultOfParsing(() => turnOf(more));

const echo = (turn: Turn): JsonObject => turn.echo?.fields as JsonObject;

const codexTools: JsonValue = [
  {
    type: 'function',
    name: 'shell',
    description: 'Runs',
    strict: false,
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
  },
  {
    type: 'namespace',
    name: 'multi_agent_v1',
    description: 'Agents',
    tools: [{ type: 'function', name: 'close_agent', parameters: { type: 'object', properties: {} } }],
  },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Patches',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
  },
  { type: 'web_search' },
  { type: 'tool_search' },
];

const answer: TurnEvent[] = [
  { type: 'turn-start', choice: 0, id: 'up', model: 'up', createdAt: 1 },
  { type: 'reasoning-delta', choice: 0, text: 'Let me ' },
  { type: 'reasoning-delta', choice: 0, text: 'think.' },
  { type: 'text-delta', choice: 0, text: 'On ' },
  { type: 'text-delta', choice: 0, text: 'it.' },
  { type: 'tool-start', choice: 0, index: 0, id: 'call_a', name: 'shell' },
  { type: 'tool-delta', choice: 0, index: 0, json: '{"command":' },
  { type: 'tool-delta', choice: 0, index: 0, json: '"ls"}' },
  { type: 'tool-end', choice: 0, index: 0, whole: true },
  { type: 'tool-start', choice: 0, index: 1, id: 'call_b', name: 'multi_agent_v1__close_agent' },
  { type: 'tool-delta', choice: 0, index: 1, json: '{}' },
  { type: 'tool-end', choice: 0, index: 1, whole: true },
  { type: 'tool-start', choice: 0, index: 2, id: 'call_c', name: 'apply_patch' },
  { type: 'tool-delta', choice: 0, index: 2, json: '{"input":"*** Begin\\n"}' },
  { type: 'tool-end', choice: 0, index: 2, whole: true },
  { type: 'usage', choice: 0, inputTokens: 3, outputTokens: 4, cachedTokens: 1, source: 'upstream' },
  { type: 'turn-end', choice: 0, reason: 'tool_calls' },
];

describe('request', () => {
  it('H-4: items of a response become one message, outputs follow', () => {
    const turn = turnOf({
      instructions: 'Be kind.',
      tools: codexTools,
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
        { role: 'user', content: 'Fix it' },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'x' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'On it.', annotations: [] }] },
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'a',
          name: 'shell',
          arguments: '{"command":"ls"}',
          status: 'completed',
        },
        { type: 'function_call', call_id: 'b', name: 'close_agent', namespace: 'multi_agent_v1', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin' },
        { type: 'function_call_output', call_id: 'a', output: 'ok' },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'closed' }] },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'patched' },
        { type: 'web_search_call', id: 'ws_1' },
      ],
    });
    expect(turn.messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'developer', content: [{ type: 'text', text: 'Rules.' }] },
      { role: 'user', content: 'Fix it' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'On it.' }],
        reasoning: 'Hm.',
        calls: [
          { id: 'a', name: 'shell', arguments: '{"command":"ls"}' },
          { id: 'b', name: 'multi_agent_v1__close_agent', arguments: '{}' },
          { id: 'c', name: 'apply_patch', arguments: '{"input":"*** Begin"}' },
        ],
      },
      { role: 'tool', callId: 'a', content: 'ok' },
      { role: 'tool', callId: 'b', content: [{ type: 'text', text: 'closed' }] },
      { role: 'tool', callId: 'c', content: 'patched' },
    ]);
    expect(front.messagePath(turn, 3)).toBe('input[2]');
    expect(front.messagePath(turn, 5)).toBe('input[8]');
  });

  it('namespaces and free text become functions; what only the service has is left out and reported', () => {
    const turn = turnOf({ tools: codexTools });
    expect(turn.tools.list.map((tool) => tool.name)).toEqual(['shell', 'multi_agent_v1__close_agent', 'apply_patch']);
    expect(turn.tools.get('apply_patch')).toMatchObject({
      declared: { as: 'custom' },
      parameters: { required: ['input'] },
      description: expect.stringContaining('start: "x"'),
    });
    expect(turn.dropped).toEqual(['tools[3] (web_search)', 'tools[4] (tool_search)']);
    expect(turnOf({ tools: codexTools, tool_choice: { type: 'function', name: 'close_agent' } }).toolChoice).toEqual({
      name: 'multi_agent_v1__close_agent',
    });
  });

  it('accepts what Codex and the SDKs send along, and gives the sampling parameters their chat names', () => {
    const turn = turnOf({
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      client_metadata: { a: 'b' },
      parallel_tool_calls: true,
      reasoning: { effort: 'high', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
      max_output_tokens: 9,
      temperature: 0,
      made_up: 1,
    });
    expect(turn.sampling).toEqual({
      temperature: 0,
      made_up: 1,
      max_completion_tokens: 9,
      reasoning_effort: 'high',
      verbosity: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
    });
    expect(
      turnOf({ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:,', detail: 'low' }] }] })
        .messages[0],
    ).toMatchObject({ content: [{ type: 'image_url', image_url: { url: 'data:,', detail: 'low' } }] });
  });

  it('encrypted_content carries reasoning back for clients that send nothing else of it; foreign ones are ignored', () => {
    const includingTurn = turnOf({ include: ['reasoning.encrypted_content'] });
    const [item] = front.wholeResponse(includingTurn, newHead(), fold(answer)).output as JsonObject[];
    expect(item).toMatchObject({ type: 'reasoning', encrypted_content: expect.any(String) });
    const streamed = read(streamOf(includingTurn, answer)).find(({ type }) => type === 'response.output_item.done');
    expect(streamed?.item).toEqual(item);
    const back = (encrypted: JsonValue, more: JsonObject = {}) =>
      turnOf({
        input: [
          { role: 'user', content: 'hi' },
          { type: 'reasoning', summary: [], encrypted_content: encrypted, ...more },
          { type: 'function_call', call_id: 'a', name: 'shell', arguments: '{}' },
        ],
      }).messages[1];
    expect(back(item?.encrypted_content ?? null)).toMatchObject({ reasoning: 'Let me think.', calls: [{ id: 'a' }] });
    for (const foreign of ['gAAAAABo', 'callsmith.1.text.%%%', null, 7])
      expect(back(foreign)).toEqual({
        role: 'assistant',
        content: null,
        calls: [{ id: 'a', name: 'shell', arguments: '{}' }],
      });
    expect(back('gAAAAABo', { content: [{ type: 'reasoning_text', text: 'Hm.' }] })).toMatchObject({
      reasoning: 'Hm.',
    });
    expect(JSON.stringify(front.wholeResponse(turnOf(), newHead(), fold(answer)))).not.toContain('encrypted_content');
  });

  it('what runs on OpenAI’s servers is left out beside functions, and refused if alone or forced', () => {
    const hosted = [
      'web_search',
      'file_search',
      'code_interpreter',
      'image_generation',
      'computer_use_preview',
      'newer',
    ];
    const tools = (types: string[]): JsonValue[] => types.map((type) => ({ type }));
    const turn = turnOf({ tools: [...tools(hosted), ...(codexTools as JsonValue[]).slice(0, 1)] });
    expect(turn.dropped).toEqual(hosted.map((type, at) => `tools[${at}] (${type})`));
    expect(echo(turn).tools).toMatchObject([{ name: 'shell' }]);
    for (const type of hosted) {
      expect(faultOf({ tools: tools([type]) })).toMatchObject({ param: 'tools[0].type', status: 400 });
      expect(faultOf({ tools: codexTools, tool_choice: { type } })).toMatchObject({ param: 'tool_choice.type' });
    }
  });

  const clientCalls: [string, string, string, JsonObject][] = [
    [
      'shell',
      '{"commands":["ls","pwd"],"timeout_ms":5000}',
      'shell_call',
      { action: { commands: ['ls', 'pwd'], timeout_ms: 5000, max_output_length: null } },
    ],
    [
      'local_shell',
      '{"command":["ls","-l"],"working_directory":"/tmp","user":"root"}',
      'local_shell_call',
      { action: { type: 'exec', command: ['ls', '-l'], env: {}, working_directory: '/tmp' } },
    ],
    [
      'apply_patch',
      '{"type":"create_file","path":"a.txt","diff":"+a\\n"}',
      'apply_patch_call',
      { operation: { type: 'create_file', path: 'a.txt', diff: '+a\n' } },
    ],
    [
      'tool_search',
      '{"query":"calendars","limit":3}',
      'tool_search_call',
      { arguments: { query: 'calendars', limit: 3 } },
    ],
    ['shell', '["rm -rf /"', 'shell_call', { action: { commands: [], timeout_ms: null, max_output_length: null } }],
  ];
  it.each(clientCalls)(
    '%s, which runs at the client, is a function for the model: %s',
    (type, args, itemType, itemFields) => {
      const tools = [type === 'tool_search' ? { type, execution: 'client' } : { type }];
      const turn = turnOf({ stream: true, tools, tool_choice: { type } });
      expect(turn).toMatchObject({ toolChoice: { name: type }, tools: { list: [{ name: type }] } });
      expect(turn.dropped).toBeUndefined();
      expect(echo(turn).tools).toEqual(tools);
      const events: TurnEvent[] = [
        { type: 'tool-start', choice: 0, index: 0, id: 'call_a', name: type },
        ...(args.match(/.{1,7}/gs) ?? []).map((json): TurnEvent => ({ type: 'tool-delta', choice: 0, index: 0, json })),
        { type: 'tool-end', choice: 0, index: 0, whole: true },
        { type: 'turn-end', choice: 0, reason: 'tool_calls' },
      ];
      const item = { type: itemType, status: 'completed', call_id: 'call_a', ...itemFields };
      const streamed = read(streamOf(turn, events));
      expect(streamed.map((event) => event.type)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.output_item.done',
        'response.completed',
      ]);
      const last = streamed.at(-1)?.response as JsonObject;
      expect(last.output).toMatchObject([item]);
      expect(front.wholeResponse(turn, newHead(), fold(events)).output).toEqual(last.output);
      const back = turnOf({
        tools,
        input: [{ role: 'user', content: 'Go' }, ...(last.output as JsonObject[])],
      });
      const [, past] = back.messages;
      expect(past).toMatchObject({ role: 'assistant', calls: [{ id: 'call_a', name: type }] });
      expect(JSON.parse(past?.role === 'assistant' ? (past.calls[0]?.arguments ?? '') : '')).toEqual(
        Object.values(itemFields)[0],
      );
    },
  );

  describe('a search for tools', () => {
    const search = { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: { type: 'object' } };
    const named = (name: string): JsonObject => ({ type: 'function', name, defer_loading: true });
    const calendar = {
      type: 'namespace',
      name: 'calendar',
      description: 'Days.',
      tools: [named('list'), named('add')],
    };
    const input = [
      { role: 'user', content: 'Go' },
      {
        type: 'tool_search_call',
        call_id: 'a',
        execution: 'client',
        arguments: { query: 'days' },
        status: 'completed',
      },
      {
        type: 'tool_search_output',
        call_id: 'a',
        execution: 'client',
        status: 'completed',
        tools: [calendar, named('b')],
      },
    ];
    const names = (turn: Turn): string[] => turn.tools.list.map(({ name }) => name);

    it('is described to the model in the client’s words, and offers what it finds', () => {
      const turn = turnOf({ tools: [search, named('b')], input });
      expect(turn.tools.get('tool_search')).toMatchObject({ description: 'Finds.', parameters: { type: 'object' } });
      expect(names(turn)).toEqual(['tool_search', 'b', 'calendar__list', 'calendar__add']);
      expect(turn.messages.slice(1)).toEqual([
        expect.objectContaining({ calls: [{ id: 'a', name: 'tool_search', arguments: '{"query":"days"}' }] }),
        {
          role: 'tool',
          callId: 'a',
          content: 'These tools can be called now: calendar__list, calendar__add, b.',
        },
      ]);
      expect(echo(turn).tools).toMatchObject([search, { name: 'b' }]);
      const events: TurnEvent[] = [
        { type: 'tool-start', choice: 0, index: 0, id: 'call_b', name: 'calendar__add' },
        { type: 'tool-delta', choice: 0, index: 0, json: '{}' },
        { type: 'tool-end', choice: 0, index: 0, whole: true },
        { type: 'turn-end', choice: 0, reason: 'tool_calls' },
      ];
      expect(front.wholeResponse(turn, newHead(), fold(events)).output).toMatchObject([
        { type: 'function_call', name: 'add', namespace: 'calendar', call_id: 'call_b' },
      ]);
    });

    it('that found nothing says so; one by a server keeps its tools; tools may be added without one', () => {
      const nothing = turnOf({ tools: [search], input: [...input.slice(0, 2), { ...input[2], tools: [] }] });
      expect(nothing.messages[2]).toMatchObject({ content: 'No tool was found.' });
      const served = turnOf({
        input: [
          { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} },
          { type: 'tool_search_output', call_id: null, execution: 'server', tools: [named('c')] },
          { type: 'additional_tools', role: 'developer', tools: [named('d'), named('c')] },
          { role: 'user', content: 'Go' },
        ],
      });
      expect([names(served), served.messages.length, served.dropped]).toEqual([['c', 'd'], 1, undefined]);
    });

    it('by OpenAI’s servers is left out, and what it would find is offered', () => {
      const turn = turnOf({ tools: [{ type: 'tool_search' }, named('b')] });
      expect([names(turn), turn.dropped]).toEqual([['b'], ['tools[0] (tool_search)']]);
    });

    it.each([
      [{ tools: 'x' }, 'input[2].tools'],
      [{ tools: [named('b'), 7] }, 'input[2].tools[1]'],
      [{ tools: [{ type: 'function', name: 'b', parameters: [] }] }, 'input[2].tools[0].parameters'],
      [{ call_id: 7 }, 'input[2].call_id'],
    ])('with a wrong result is refused: %j', (wrong, param) => {
      const faulty = [...input.slice(0, 2), { ...input[2], ...wrong }];
      expect(faultOf({ tools: [search], input: faulty })).toMatchObject({ status: 400, param });
    });
  });

  it.each<[JsonObject, string]>([
    [
      {
        type: 'shell_call_output',
        output: [
          { stdout: 'a', stderr: 'b', outcome: { type: 'exit', exit_code: 2 } },
          { stdout: '', stderr: '', outcome: { type: 'timeout' } },
        ],
      },
      'a\nb\nexit code 2\ntimeout',
    ],
    [{ type: 'local_shell_call_output', output: '{"output":"a"}' }, '{"output":"a"}'],
    [{ type: 'apply_patch_call_output', status: 'completed' }, 'Done.'],
    [{ type: 'apply_patch_call_output', status: 'failed', output: 'no such file' }, 'Error: no such file'],
  ])('the result of a client tool is text: %j', (item, content) => {
    const input = [
      { role: 'user', content: 'Go' },
      { ...item, call_id: 'a' },
    ];
    expect(turnOf({ input }).messages[1]).toEqual({ role: 'tool', callId: 'a', content });
  });

  it('the newest fields of a function stay with it and are in the response', () => {
    const newest = {
      defer_loading: false,
      async: true,
      output_schema: { type: 'object' },
      allowed_callers: ['direct'],
    };
    const turn = turnOf({ tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, ...newest }] });
    expect(turn.tools.get('f')?.extra).toEqual({ tool: newest });
    expect((echo(turn).tools as JsonObject[])[0]).toEqual({
      type: 'function',
      name: 'f',
      description: null,
      parameters: { type: 'object' },
      strict: null,
      ...newest,
    });
  });

  it.each<[JsonObject, string]>([
    [{ role: 'user' }, 'user'],
    [{ role: 'system' }, 'system'],
    [{ role: 'assistant' }, 'assistant'],
    [{ type: 'function_call_output', call_id: 'a' }, 'tool'],
    [{ type: 'function_call_output', call_id: 'a', output: null }, 'tool'],
  ])('absent content is accepted, as Go clients send an empty one: %j', (item, role) => {
    expect(turnOf({ input: [{ role: 'user', content: 'hi' }, item] }).messages[1]).toMatchObject({ role, content: '' });
  });

  it.each<[JsonObject, string, string]>([
    [{ model: '' }, 'model', 'invalid_parameter'],
    [{ input: 7 }, 'input', 'invalid_parameter'],
    [{ input: [7] }, 'input[0]', 'invalid_parameter'],
    [{ input: [{ role: 'judge', content: 'x' }] }, 'input[0].role', 'invalid_parameter'],
    [{ input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input[0].content[0].text', 'missing_parameter'],
    [{ input: [{ type: 'function_call', name: 'f', arguments: '{}' }] }, 'input[0].call_id', 'invalid_tool_call_id'],
    [{ input: 'hi', truncation: 'auto' }, 'truncation', 'invalid_parameter'],
    [{ input: [{ type: 'function_call', call_id: 'a', arguments: '{}' }] }, 'input[0].name', 'missing_parameter'],
    [
      { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: 7 }] },
      'input[0].arguments',
      'invalid_parameter',
    ],
    [{ input: [{ type: 'function_call_output', call_id: 'a', output: 7 }] }, 'input[0].output', 'invalid_parameter'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].id', 'invalid_parameter'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name', 'invalid_tool_schema'],
    [
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'a b' }] }] },
      'tools[0].tools[0].name',
      'invalid_tool_schema',
    ],
    [{ tools: [{ type: 'function', name: 'f', parameters: [] }] }, 'tools[0].parameters', 'invalid_tool_schema'],
    [{ tool_choice: { type: 'function', name: 'nope' } }, 'tool_choice', 'invalid_tool_choice'],
    [{ temperature: 3 }, 'temperature', 'invalid_parameter'],
    [{ max_output_tokens: 0 }, 'max_output_tokens', 'invalid_parameter'],
    [{ background: true }, 'background', 'invalid_parameter'],
    [{ conversation: 'conv_1' }, 'conversation', 'invalid_parameter'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', 'invalid_parameter'],
    [{ context_management: [{ type: 'compaction' }] }, 'context_management', 'invalid_parameter'],
    [{ include: ['reasoning.encrypted_content', 'message.output_text.logprobs'] }, 'include[1]', 'invalid_parameter'],
    [{ include: 'all' }, 'include', 'invalid_parameter'],
    [{ presence_penalty: 3 }, 'presence_penalty', 'invalid_parameter'],
    [{ service_tier: 1 }, 'service_tier', 'invalid_parameter'],
    [{ text: { format: { type: 'json_schema' } } }, 'text.format.schema', 'missing_parameter'],
    [{ reasoning: { effort: 1 } }, 'reasoning.effort', 'invalid_parameter'],
  ])('SC-007: refuses %j and names %s', (more, param, code) => {
    expect(faultOf(more)).toMatchObject({ param, code, status: 400 });
  });
});

describe('frames', () => {
  it('H-4, SC-007: every event in the documented order, numbered from 0', () => {
    const events = read(streamOf(turnOf({ stream: true, tools: codexTools }), answer));
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.map((event) => String(event.type).replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'reasoning_text.delta',
      'reasoning_text.delta',
      'reasoning_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ]);
  });

  it('calls come back as Codex declared them, complete in output_item.done', () => {
    const items = read(streamOf(turnOf({ stream: true, tools: codexTools }), answer))
      .filter((event) => event.type === 'response.output_item.done')
      .map((event) => event.item);
    expect(items).toMatchObject([
      { type: 'reasoning', summary: [], content: [{ text: 'Let me think.' }] },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'On it.' }] },
      { type: 'function_call', call_id: 'call_a', name: 'shell', arguments: '{"command":"ls"}' },
      { type: 'function_call', call_id: 'call_b', name: 'close_agent', namespace: 'multi_agent_v1', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'call_c', name: 'apply_patch', input: '*** Begin\n' },
    ]);
  });

  it('whole ≡ the last event of the stream', () => {
    const turn = turnOf({ stream: true, tools: codexTools });
    const last = read(streamOf(turn, answer)).at(-1)?.response as JsonObject;
    expect(front.wholeResponse(turn, newHead(), fold(answer))).toEqual(last);
    expect(last).toMatchObject({
      status: 'completed',
      error: null,
      model: 'public',
      usage: { input_tokens: 3, input_tokens_details: { cached_tokens: 1 }, output_tokens: 4, total_tokens: 7 },
    });
  });

  it('a response that was cut short is incomplete, one that failed has its error', () => {
    const turn = turnOf({ stream: true });
    const text: TurnEvent = { type: 'text-delta', choice: 0, text: 'a' };
    expect(read(streamOf(turn, [text, { type: 'turn-end', choice: 0, reason: 'length' }])).at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
    expect(
      read(streamOf(turn, [text, { type: 'turn-end', choice: 0, reason: 'content_filter' }])).at(-1),
    ).toMatchObject({
      response: { incomplete_details: { reason: 'content_filter' } },
    });
    expect(read(streamOf(turn, [text], new Fault('context_length_exceeded', 'too long'))).at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'context_length_exceeded', message: 'too long' } },
    });
  });

  it('an error before the stream that concerns the messages names `input`', () => {
    const of = (param: string) =>
      front.errorResponse(new Fault('context_length_exceeded', 'Too long.', { param }), 'id');
    expect(of('messages')).toMatchObject({ status: 400, body: { error: { message: 'Too long.', param: 'input' } } });
    expect(of('tools')).toMatchObject({ body: { error: { param: 'tools' } } });
  });

  it('D-1: a call that was cut is never reported as done', () => {
    const text = streamOf(
      turnOf({ stream: true, tools: codexTools }),
      [...answer.slice(5, 7), { type: 'tool-end', choice: 0, index: 0, whole: false }],
      new Fault('tool_call_truncated'),
    );
    expect(text).not.toContain('arguments.done');
    expect(text).not.toContain('output_item.done');
    expect(text).not.toContain('response.completed');
    expect(read(text).at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { code: 'tool_call_truncated' }, output: [] },
    });
  });

  it('D-23: heartbeats and external faults keep the numbering and never come before response.created', () => {
    const head = newHead();
    const turn = turnOf({ stream: true });
    let text = '';
    const sink = front.streamFrames(turn, head)({ push: (more) => (text += more), flush: () => {}, end: () => {} });
    text += front.heartbeat(head);
    sink.push({ type: 'text-delta', choice: 0, text: 'a' });
    text += front.heartbeat(head);
    sink.push({ type: 'text-delta', choice: 0, text: 'b' });
    text += front.errorFrames(new Fault('upstream_timeout'), head);
    text += front.heartbeat(head);
    const events = read(text);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.filter((event) => event.type === 'response.created')).toHaveLength(1);
    expect(events.filter((event) => event.type === 'callsmith:keepalive')).toHaveLength(2);
    expect(events.at(-1)?.type).toBe('response.failed');
  });

  it('the SDK’s own stream helper accepts it, heartbeats included, which are of a type that it knows', async () => {
    const helper = { 'x-stainless-helper-method': 'stream' };
    expect([front.knowsOwnEventsOnly?.(helper), front.knowsOwnEventsOnly?.({})]).toEqual([true, false]);
    const head = { ...newHead(), knownEventsOnly: true as const };
    const turn = turnOf({ stream: true, tools: codexTools });
    let text = '';
    const sink = front.streamFrames(turn, head)({ push: (more) => (text += more), flush: () => {}, end: () => {} });
    for (const event of answer) {
      text += front.heartbeat(head);
      sink.push(event);
    }
    sink.end();
    const client = new OpenAI({
      apiKey: 'x',
      baseURL: 'http://127.0.0.1:1/v1',
      fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    });
    const final = await client.responses.stream({ model: 'm', input: 'hi' }).finalResponse();
    expect(final.output_text).toBe('On it.');
    expect(final.output.map((item) => item.type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
      'custom_tool_call',
    ]);
  });

  it('security 28: whatever the model writes, an event stays one event', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n\nevent: response.completed\ndata: {}\n\n', '"}}', '\ud800'),
    );
    fc.assert(
      fc.property(anything, anything, (text, json) => {
        const events = read(
          streamOf(turnOf({ stream: true }), [
            { type: 'text-delta', choice: 0, text },
            { type: 'reasoning-delta', choice: 0, text: json },
            { type: 'tool-start', choice: 0, index: 0, id: text, name: json },
            { type: 'tool-delta', choice: 0, index: 0, json },
            { type: 'tool-end', choice: 0, index: 0, whole: true },
          ]),
        );
        expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
        expect(events.filter((event) => event.type === 'response.completed')).toHaveLength(1);
      }),
    );
  });
});

describe('state, D-29', () => {
  it('H-4: a conversation continues from the stored response, with the new turn’s own instructions', () => {
    const first = turnOf({ instructions: 'Old.', tools: codexTools });
    const kept = storedState.conversationAfter(first, fold(answer));
    expect(kept).toHaveLength(2);
    const second = storedState.continueFrom(
      turnOf({
        instructions: 'New.',
        previous_response_id: 'resp_1',
        input: [{ type: 'function_call_output', call_id: 'call_a', output: 'ok' }],
      }),
      kept,
    );
    expect(second.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(second.messages[0]).toEqual({ role: 'system', content: 'New.' });
    expect(second.messages[2]).toMatchObject({
      content: 'On it.',
      reasoning: 'Let me think.',
      calls: [{ id: 'call_a' }, { id: 'call_b' }, { id: 'call_c' }],
    });
    expect(front.messagePath(second, 3)).toBe('input[0]');
    expect(storedState.conversationAfter(second, fold([]))).toEqual(second.messages.slice(1));
  });

  it('the input may be omitted if an earlier response is named', () => {
    expect(front.parseRequest({ model: 'm', previous_response_id: 'resp_1' }, limits).messages).toEqual([]);
    expect(faultOf({ input: null }).param).toBe('input');
  });
});
