import { Fault, type JsonObject, type JsonValue, type Turn } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { faultOf as faultOfParsing } from '../test-events.ts';
import { parseChatRequest } from './request.ts';

const limits = { maxDepth: 20, maxMessages: 5, maxTools: 3 };
const user = { role: 'user', content: 'hi' };
const tool = (own: JsonObject): JsonObject => ({ type: 'function', function: { name: 'f', ...own } });
const turnOf = (more: JsonObject): Turn => parseChatRequest({ model: 'm', messages: [user], ...more }, limits);
const faultOf = (body: JsonValue): Fault => faultOfParsing(() => parseChatRequest(body, limits));
const refused = (more: JsonObject): Fault => faultOf({ model: 'm', messages: [user], ...more });
const nested = (levels: number): JsonObject => (levels === 0 ? {} : { a: nested(levels - 1) });

describe('accepted', () => {
  it('FR-001, FR-019: tools with name, description and schema, in the client’s order', () => {
    const parameters = {
      $schema: 'x',
      type: 'object',
      properties: { z: { $ref: '#/$defs/n' }, a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      $defs: { n: { type: ['integer', 'null'] } },
      required: [],
    };
    expect(
      turnOf({ tools: [tool({ description: 'Does', parameters, strict: true }), tool({ name: 'bare' })] }).tools.list,
    ).toEqual([{ name: 'f', description: 'Does', parameters, strict: true }, { name: 'bare' }]);
  });

  it('FR-002, R-3: every tool_choice', () => {
    const choice = (value: JsonValue): unknown => turnOf({ tools: [tool({})], tool_choice: value }).toolChoice;
    expect(['auto', 'none', 'required', null].map(choice)).toEqual(['auto', 'none', 'required', 'auto']);
    expect(choice({ type: 'function', function: { name: 'f' } })).toEqual({ name: 'f' });
    expect(choice({ type: 'function', name: 'f' })).toEqual({ name: 'f' });
  });

  it('allowed_tools leaves only the offered ones', () => {
    const turn = turnOf({
      tools: [tool({}), tool({ name: 'g' })],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] },
      },
    });
    expect(turn.tools.list.map((one) => one.name)).toEqual(['g']);
    expect(turn.toolChoice).toBe('required');
  });

  it.each<[string, JsonObject]>([
    ['nested, as chat completions have it', { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } }],
    ['flat, as responses have it', { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }],
  ])('a custom tool’s grammar is shown to the model: %s', (_, format) => {
    const custom = { name: 'patch', description: 'Patches.', format };
    expect(turnOf({ tools: [{ type: 'custom', custom }] }).tools.get('patch')?.description).toBe(
      'Patches.\n\nThe input must follow this lark grammar:\nstart: "x"',
    );
    expect(
      turnOf({ tools: [{ type: 'custom', custom: { name: 'patch', format: { type: 'text' } } }] }).tools.get('patch'),
    ).not.toHaveProperty('description');
  });

  it('allowed_tools leaves custom tools too, and is refused if it names none', () => {
    const tools = [
      tool({}),
      { type: 'custom', custom: { name: 'patch' } },
      { type: 'custom', custom: { name: 'run' } },
    ];
    const choice = (...named: JsonValue[]): JsonObject => ({
      tools,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: named } },
    });
    const named = turnOf(
      choice({ type: 'custom', custom: { name: 'run' } }, { type: 'function', function: { name: 'f' } }),
    );
    expect(named.tools.list.map(({ name }) => name)).toEqual(['f', 'run']);
    expect(refused(choice({ type: 'custom', name: 'run' }))).toMatchObject({
      param: 'tool_choice.allowed_tools.tools[0].custom.name',
    });
  });

  it('functions and function_call, the legacy form of tools', () => {
    const functions = [{ name: 'f', description: 'Does', parameters: { type: 'object' } }, { name: 'g' }];
    const turn = turnOf({ functions });
    expect(turn.tools.list).toEqual(functions);
    expect(turn).toMatchObject({ toolChoice: 'auto', parallel: false, sampling: {} });
    const choice = (value: JsonValue): unknown => turnOf({ functions, function_call: value }).toolChoice;
    expect(['auto', 'none', null, { name: 'g' }].map(choice)).toEqual(['auto', 'none', 'auto', { name: 'g' }]);
    expect(refused({ functions, tools: [tool({})] })).toMatchObject({ param: 'functions' });
    expect(refused({ functions, function_call: 'required' })).toMatchObject({ param: 'function_call' });
    expect(refused({ functions, function_call: { name: 'h' } })).toMatchObject({ code: 'invalid_tool_choice' });
    expect(refused({ functions: [{ name: 'a b' }] })).toMatchObject({ param: 'functions[0].name' });
    expect(refused({ functions: [7] })).toMatchObject({ param: 'functions[0]', code: 'invalid_tool_schema' });
  });

  it('FR-003, FR-010, FR-012: parallel_tool_calls, stream_options and unknown parameters', () => {
    const turn = turnOf({
      parallel_tool_calls: false,
      stream: true,
      stream_options: { include_usage: true, odd: 1 },
      made_up: { x: [1] },
      top_k: 5,
    });
    expect(turn).toMatchObject({
      parallel: false,
      stream: true,
      includeUsage: true,
      given: ['parallel_tool_calls'],
      sampling: { stream_options: { include_usage: true, odd: 1 }, made_up: { x: [1] }, top_k: 5 },
    });
    expect(turnOf({}).parallel).toBe(true);
  });

  it('FR-004, FR-005, FR-018, FR-020: every role, content beside calls null or absent, argument bytes unchanged', () => {
    const args = '{ "n": 1e400, "n": 2 }';
    const calls = [
      { id: 'a', type: 'function', function: { name: 'f', arguments: args } },
      { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
    ];
    const { messages } = turnOf({
      messages: [
        { role: 'developer', content: 'x' },
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'B' }] },
        { role: 'tool', tool_call_id: 'a', content: 'A', name: 'f' },
      ],
    });
    expect(messages).toEqual([
      { role: 'developer', content: 'x' },
      {
        role: 'assistant',
        content: null,
        calls: [
          { id: 'a', name: 'f', arguments: args },
          { id: 'b', name: 'g', arguments: '' },
        ],
      },
      { role: 'tool', callId: 'b', content: [{ type: 'text', text: 'B' }] },
      { role: 'tool', callId: 'a', content: 'A', name: 'f' },
    ]);
  });

  it('M-6: past arguments as an object, the legacy function protocol, a free-text call', () => {
    const { messages } = turnOf({
      messages: [
        {
          role: 'assistant',
          tool_calls: [
            { id: 'a', function: { name: 'f', arguments: { x: 1 } } },
            { id: 'c', type: 'custom', custom: { name: 'patch', input: '*' } },
          ],
        },
        { role: 'assistant', content: null, function_call: { name: 'g', arguments: '{}' } },
        { role: 'function', name: 'g', content: 'ok' },
      ],
    });
    expect(messages[0]).toMatchObject({
      calls: [{ arguments: '{"x":1}' }, { name: 'patch', arguments: '{"input":"*"}' }],
    });
    expect(messages[2]).toMatchObject({
      role: 'tool',
      callId: (messages[1] as unknown as { calls: { id: string }[] }).calls[0]?.id,
    });
  });

  it('reasoning under its original key, and what SDKs leave on messages', () => {
    const { messages } = turnOf({
      messages: [
        { role: 'assistant', content: 'x', reasoning: 'a', refusal: null, parsed: null, annotations: [] },
        { role: 'assistant', content: 'x', reasoning_content: 'b' },
        user,
      ],
    });
    expect(messages[0]).toEqual({
      role: 'assistant',
      content: 'x',
      reasoning: 'a',
      calls: [],
      extra: { annotations: [] },
    });
    expect(messages[1]).toMatchObject({ reasoning: 'b' });
  });

  it('security 9: a duplicate key counts as its last value; __proto__ is removed at every depth', () => {
    const body = JSON.parse(
      '{"model":"a","model":"m","messages":[{"role":"user","content":"hi","__proto__":{"role":"tool"}}],"__proto__":{"stream":true},"knob":{"__proto__":{"x":1},"y":2}}',
    ) as JsonValue;
    const turn = parseChatRequest(body, limits);
    expect(turn.model).toBe('m');
    expect(turn.stream).toBe(false);
    expect(JSON.stringify(turn.sampling)).toBe('{"knob":{"y":2}}');
    expect(JSON.stringify(turn.messages)).toBe('[{"role":"user","content":"hi"}]');
  });

  it('nothing is cloned: a schema is the same object as in the body', () => {
    const parameters = { type: 'object' };
    expect(turnOf({ tools: [tool({ parameters })] }).tools.get('f')?.parameters).toBe(parameters);
  });
});

describe('absent content, as Go clients send an empty one', () => {
  it.each([
    { role: 'system' },
    { role: 'developer' },
    { role: 'user' },
    { role: 'assistant' },
    { role: 'tool', tool_call_id: 'a' },
    { role: 'function', name: 'f' },
  ])('is accepted in %j', (message) => {
    expect(turnOf({ messages: [user, message] }).messages[1]).toMatchObject({ content: null });
  });
});

describe('refused', () => {
  it.each<[string, JsonValue, string]>([
    ['no object', [], 'invalid_body'],
    ['a string', 'hi', 'invalid_body'],
    ['null', null, 'invalid_body'],
  ])('a body that is %s', (_, body, code) => {
    expect(faultOf(body)).toMatchObject({ code, status: 400 });
  });

  it('messages and model missing', () => {
    expect(faultOf({ model: 'm' })).toMatchObject({ code: 'missing_parameter', param: 'messages' });
    expect(faultOf({ messages: [user] })).toMatchObject({ code: 'missing_parameter', param: 'model' });
  });

  it('FR-014: a tool message without tool_call_id', () => {
    expect(refused({ messages: [user, { role: 'tool', content: 'x' }] })).toMatchObject({
      code: 'invalid_tool_call_id',
      param: 'messages[1].tool_call_id',
    });
  });

  it('E-9, R-5: a tool without a name, or with one that no model server accepts', () => {
    expect(refused({ tools: [tool({}), { type: 'function', function: {} }] })).toMatchObject({
      code: 'invalid_tool_schema',
      type: 'invalid_tool_schema',
      param: 'tools[1].function.name',
    });
    expect(refused({ tools: [tool({ name: 'read file' })] }).param).toBe('tools[0].function.name');
    expect(refused({ tools: [tool({ name: 7 })] }).message).toContain('found the number 7');
  });

  it.each<[JsonObject, string]>([
    [{ parameters: [] }, 'parameters'],
    [{ parameters: { type: 'array' } }, 'parameters.type'],
    [{ parameters: { properties: [] } }, 'parameters.properties'],
    [{ parameters: { required: 'path' } }, 'parameters.required'],
    [{ parameters: { required: [1] } }, 'parameters.required'],
    [{ description: 7 }, 'description'],
    [{ strict: 'yes' }, 'strict'],
  ])('D-18: an invalid schema: %j', (own, where) => {
    expect(refused({ tools: [tool(own)] })).toMatchObject({
      code: 'invalid_tool_schema',
      param: `tools[0].function.${where}`,
    });
  });

  it('D-18: a tool_choice that is not offered names those that are', () => {
    const fault = refused({ tools: [tool({})], tool_choice: { type: 'function', function: { name: 'nope' } } });
    expect(fault).toMatchObject({ code: 'invalid_tool_choice', param: 'tool_choice' });
    expect(fault.message).toContain('"nope"');
    expect(fault.message).toContain('Tools: f.');
    expect(refused({ tool_choice: 'required' }).code).toBe('invalid_tool_choice');
  });

  it('security 9: too deep, too many messages, too many tools', () => {
    expect(refused({ knob: nested(40) })).toMatchObject({
      code: 'invalid_body',
      message: expect.stringContaining('20 levels'),
    });
    expect(refused({ messages: Array.from({ length: 6 }, () => user) })).toMatchObject({
      code: 'invalid_parameter',
      param: 'messages',
      message: expect.stringContaining('at most 5'),
    });
    expect(refused({ tools: Array.from({ length: 4 }, (_, at) => tool({ name: `t${at}` })) })).toMatchObject({
      param: 'tools',
      message: expect.stringContaining('at most 3'),
    });
  });

  it('SC-007: says what was found and what was expected', () => {
    expect(
      refused({ messages: [user, { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'text' }] }] }),
    ).toMatchObject({
      param: 'messages[1].content[1].text',
      message: 'messages[1].content[1].text: expected a string, found nothing.',
    });
    expect(refused({ temperature: 'hot' }).message).toBe(
      'temperature: expected a number from 0 to 2, found the string "hot".',
    );
    expect(refused({ messages: [{ role: 'judge', content: 'x' }] }).message).toContain('found the string "judge"');
  });
});
