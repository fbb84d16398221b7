import { cpuMs } from '@callsmith/testing';
import type { JsonObject } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { bigContent } from '../big-content.ts';
import { defaultControls } from '../controls.ts';
import { randomFrom } from '../random.ts';
import { playTurn } from '../turn.ts';

const string = { type: 'string' };
const absolute = { type: 'string', description: 'The absolute path to the file' };
const tool = (name: string, properties: JsonObject, required: string[] = Object.keys(properties)): JsonObject => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties, required } },
});
const line = { anyOf: [{ type: 'integer' }, { type: 'null' }] };

/** The tools for files and commands as each client offers them, and the calls that read hello.txt and write out.txt. */
const clients: Record<
  string,
  { system?: string; tools: JsonObject[]; read: [string, object]; write: [string, object] }
> = {
  'Cline 3': {
    system: 'Current working directory: /w',
    tools: [
      tool('read_files', {
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: { path: absolute, start_line: line, end_line: line },
            required: ['path'],
          },
        },
      }),
      tool('run_commands', { commands: { type: 'array', items: string } }),
      tool(
        'editor',
        { path: absolute, old_text: { anyOf: [string, { type: 'null' }] }, new_text: string, insert_line: line },
        ['path', 'new_text'],
      ),
    ],
    read: ['read_files', { files: [{ path: '/w/hello.txt' }] }],
    write: ['editor', { path: '/w/out.txt', new_text: 'X-1\n' }],
  },
  'Cline classic, native': {
    tools: [
      tool('execute_command', { command: string, requires_approval: { type: 'boolean' } }),
      tool('read_file', { path: string, task_progress: string }, ['path']),
      tool('write_to_file', { absolutePath: absolute, content: string }),
    ],
    read: ['read_file', { path: 'hello.txt' }],
    write: ['write_to_file', { absolutePath: 'out.txt', content: 'X-1\n' }],
  },
  'opencode, Kilo': {
    system: '<env>\nWorking directory: /w\n</env>',
    tools: [
      tool('bash', { command: string, timeout: { type: 'integer' }, description: string }, ['command', 'description']),
      tool('edit', { filePath: absolute, oldString: string, newString: string }),
      tool('read', { filePath: absolute, offset: { type: 'integer' } }, ['filePath']),
      tool('write', { content: string, filePath: absolute }),
    ],
    read: ['read', { filePath: '/w/hello.txt' }],
    write: ['write', { content: 'X-1\n', filePath: '/w/out.txt' }],
  },
  'Qwen Code': {
    system: "I'm currently working in the directory: /w\n",
    tools: [
      tool(
        'read_file',
        {
          file_path: { type: 'string', description: 'The absolute path. Relative paths are not supported.' },
          limit: { type: 'number' },
        },
        ['file_path'],
      ),
      tool('write_file', { file_path: absolute, content: string }),
      tool('run_shell_command', { command: string, is_background: { type: 'boolean' } }),
    ],
    read: ['read_file', { file_path: '/w/hello.txt' }],
    write: ['write_file', { file_path: '/w/out.txt', content: 'X-1\n' }],
  },
  Continue: {
    tools: [
      tool('Read', { filepath: string }),
      tool('Write', { filepath: string, content: string }),
      tool('Bash', { command: string }),
    ],
    read: ['Read', { filepath: 'hello.txt' }],
    write: ['Write', { filepath: 'out.txt', content: 'X-1\n' }],
  },
  'grok-cli': {
    tools: [
      tool('view_file', { path: string }),
      tool('create_file', { path: string, content: string }),
      tool('str_replace_editor', { path: string, old_str: string, new_str: string }),
    ],
    read: ['view_file', { path: 'hello.txt' }],
    write: ['create_file', { path: 'out.txt', content: 'X-1\n' }],
  },
  'Roo, strict': {
    tools: [
      tool('read_file', {
        path: string,
        offset: { type: ['integer', 'null'] },
        mode: { type: 'string', enum: ['slice', 'indentation'] },
      }),
      tool('write_to_file', { path: string, content: string }),
    ],
    read: ['read_file', { path: 'hello.txt', offset: null, mode: 'slice' }],
    write: ['write_to_file', { path: 'out.txt', content: 'X-1\n' }],
  },
  'Codex with apply_patch': {
    system: '<cwd>/w</cwd>',
    tools: [
      tool('exec_command', { cmd: string, yield_time_ms: { type: 'number' } }, ['cmd']),
      tool('apply_patch', { input: string }),
    ],
    read: ['exec_command', { cmd: 'cat hello.txt' }],
    write: ['apply_patch', { input: '*** Begin Patch\n*** Add File: out.txt\n+X-1\n*** End Patch\n' }],
  },
  'Codex with a shell of words': {
    tools: [tool('shell', { command: { type: 'array', items: string }, workdir: string }, ['command'])],
    read: ['shell', { command: ['bash', '-lc', 'cat hello.txt'] }],
    write: ['shell', { command: ['bash', '-lc', "cat > out.txt <<'END_OF_FILE_7f3a'\nX-1\nEND_OF_FILE_7f3a\n"] }],
  },
};

const task = 'Read hello.txt, then create out.txt containing exactly one line: X-1. Then say you are done.';
const play = (body: JsonObject, controls = {}) =>
  playTurn(body, { ...defaultControls, ...controls }, randomFrom('test'));
const callsOf = (body: JsonObject) =>
  play(body).segments.flatMap((segment) => (segment.kind === 'call' ? [[segment.name, JSON.parse(segment.text)]] : []));
const textOf = (body: JsonObject, controls = {}) =>
  play(body, controls)
    .segments.map((segment) => (segment.kind === 'content' ? segment.text : ''))
    .join('');
const done = (name: string, args: object, result: string, id = name): JsonObject[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  },
  { role: 'tool', tool_call_id: id, content: result },
];

describe.each(Object.entries(clients))('with the tools of %s', (_, { system, tools, read, write }) => {
  const start = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: task },
  ];
  const afterRead = [...start, ...done(...read, 'SECRET-HELLO')];

  it('reads, writes, then answers from the results', () => {
    expect(callsOf({ tools, messages: start })).toEqual([read]);
    expect(callsOf({ tools, messages: afterRead })).toEqual([write]);
    const end = { tools, messages: [...afterRead, ...done(...write, 'ok')] };
    expect(callsOf(end)).toEqual([]);
    expect(textOf(end)).toMatch(/SECRET-HELLO[\s\S]*I wrote out\.txt[\s\S]*done/);
  });
});

const simple = [tool('read_file', { path: string }), tool('write_file', { path: string, content: string })];
const user = (content: unknown): JsonObject => ({ role: 'user', content }) as JsonObject;

describe('acting on the request', () => {
  const three = 'Read a.txt, b.txt and c.txt in parallel. Then say what each of them says.';

  it('calls in parallel if allowed, else one by one', () => {
    const paths = (body: JsonObject) => callsOf(body).map(([, args]) => (args as { path: string }).path);
    expect(paths({ tools: simple, messages: [user(three)] })).toEqual(['a.txt', 'b.txt', 'c.txt']);
    const single = { tools: simple, parallel_tool_calls: false, messages: [user(three)] };
    expect(paths(single)).toEqual(['a.txt']);
    expect(paths({ ...single, messages: [user(three), ...done('read_file', { path: 'a.txt' }, 'A')] })).toEqual([
      'b.txt',
    ]);
  });

  it('repeats a call that got lost', () => {
    const messages = [
      user(three),
      ...done('read_file', { path: 'a.txt' }, 'A', '1'),
      ...done('read_file', { path: 'c.txt' }, 'C', '2'),
    ];
    expect(callsOf({ tools: simple, messages })).toEqual([['read_file', { path: 'b.txt' }]]);
  });

  it('writes a large file whose text a test can predict', () => {
    const [call] = callsOf({ tools: simple, messages: [user('Create big.txt with 20 KB of text.')] });
    expect(call).toEqual(['write_file', { path: 'big.txt', content: bigContent(20 * 1024) }]);
    expect(Buffer.byteLength(bigContent(20 * 1024))).toBe(20 * 1024);
    expect(bigContent(20 * 1024)).toMatch(
      /^(?=[\s\S]*")(?=[\s\S]*\{)(?=[\s\S]*\\)(?=[\s\S]*\t)(?=[\s\S]*🎉)[\s\S]*\n$/,
    );
  });

  it('writes in parts what the client rejects as too large for one call', () => {
    const tools = [...simple, tool('run_commands', { commands: { type: 'array', items: string } })];
    const messages = [user('Create big.txt with 20 KB of text.')];
    const written: string[] = [];
    for (let turn = 0; turn < 10; turn++) {
      const [call] = callsOf({ tools, messages });
      if (call === undefined) break;
      const [name, args] = call as [string, { content?: string; commands?: string[] }];
      const whole = args.content ?? /<<'(\w+)'\n([\s\S]*)\1\n$/.exec(args.commands?.[0] ?? '')?.[2] ?? '';
      if (whole.length <= 6000) written.push(whole);
      const result = whole.length > 6000 ? 'Error: input too large: exceeding the limit of 6000.' : 'ok';
      messages.push(...done(name, args, result, String(turn)));
    }
    expect(written.join('')).toBe(bigContent(20 * 1024));
  });

  it('tries another way after a failure, or says that it failed', () => {
    const userMessage = user(
      'Read missing.txt; if that file does not exist, read hello.txt instead. Then say what it says.',
    );
    const failedOnce = [userMessage, ...done('read_file', { path: 'missing.txt' }, 'Error: ENOENT: no such file', '1')];
    expect(callsOf({ tools: simple, messages: failedOnce })).toEqual([['read_file', { path: 'hello.txt' }]]);
    expect(
      textOf({ tools: simple, messages: [...failedOnce, ...done('read_file', { path: 'hello.txt' }, 'HELLO', '2')] }),
    ).toContain('HELLO');
    const twice = [
      user('Read missing.txt.'),
      ...done('read_file', { path: 'missing.txt' }, 'Error: no', '1'),
      ...done('read_file', { path: 'missing.txt' }, 'Error: no', '2'),
    ];
    expect(textOf({ tools: simple, messages: twice })).toContain('I could not read missing.txt: Error: no');
  });

  it.each([
    'The write_file tool was called with invalid arguments: expected string, received undefined.',
    "params must have required property 'path'",
    "Missing value for required parameter 'content'.",
    'failed to parse function arguments: missing field `path`',
  ])('repeats a call that the client rejects: %s', (rejection) => {
    const messages = [user('Create out.txt containing exactly one line: X-1.')];
    for (const id of ['1', '2', '3']) messages.push(...done('write_file', { input: 'garbage' }, rejection, id));
    expect(callsOf({ tools: simple, messages })).toEqual([['write_file', { path: 'out.txt', content: 'X-1\n' }]]);
    messages.push(...done('write_file', { input: 'garbage' }, rejection, '4'));
    expect(callsOf({ tools: simple, messages })).toEqual([]);
  });

  it('makes twenty calls one after the other', () => {
    const messages: JsonObject[] = [
      user(
        'Read n01.txt to n20.txt one after the other. Then create out.txt containing exactly one line: ALL-TWENTY. Then say you are done.',
      ),
    ];
    for (let n = 0; n < 21; n++) {
      const calls = callsOf({ tools: simple, messages });
      expect(calls).toHaveLength(1);
      const [name, args] = calls[0] as [string, object];
      messages.push(...done(name, args, 'fine', String(n)));
    }
    expect(JSON.stringify(messages.at(-2))).toContain('ALL-TWENTY');
    expect(JSON.stringify(messages.slice(1))).toContain('n20.txt');
    expect(callsOf({ tools: simple, messages })).toEqual([]);
  });

  it('copies a file from what it read', () => {
    const messages = [user('Copy a.txt to b.txt.'), ...done('read_file', { path: 'a.txt' }, 'all of it')];
    expect(callsOf({ tools: simple, messages })).toEqual([['write_file', { path: 'b.txt', content: 'all of it' }]]);
  });

  it('fills a small tool from the request and the schema', () => {
    const weather = tool('get_weather', {
      city: string,
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      days: { type: 'integer' },
    });
    expect(callsOf({ tools: [weather], messages: [user('What is the weather in Oslo?')] })).toEqual([
      ['get_weather', { city: 'Oslo', unit: 'celsius', days: 1 }],
    ]);
    expect(
      callsOf({ tools: [weather], messages: [user('Weather in Paris and New York for 3 days, in fahrenheit')] }),
    ).toEqual([
      ['get_weather', { city: 'Paris', unit: 'fahrenheit', days: 3 }],
      ['get_weather', { city: 'New York', unit: 'fahrenheit', days: 3 }],
    ]);
    const answered = [
      user('What is the weather in Oslo?'),
      ...done('get_weather', { city: 'Oslo' }, '{"sky":"clear"}'),
    ];
    expect(textOf({ tools: [weather], messages: answered })).toContain('clear');
  });

  it('follows tool_choice', () => {
    const messages = [user('Good morning')];
    expect(callsOf({ tools: simple, messages })).toEqual([]);
    expect(callsOf({ tools: simple, messages, tool_choice: 'required' })).toHaveLength(1);
    expect(
      callsOf({ tools: simple, messages, tool_choice: { type: 'function', function: { name: 'write_file' } } }),
    ).toMatchObject([['write_file', {}]]);
    expect(callsOf({ tools: simple, messages: [user(task)], tool_choice: 'none' })).toEqual([]);
  });

  it('finds the request among the text that clients add around it', () => {
    const callsFor = (content: unknown) => callsOf({ tools: simple, messages: [user(content)] });
    const wanted = [['read_file', { path: 'hello.txt' }]];
    expect(callsFor(JSON.stringify('Read hello.txt.'))).toEqual(wanted);
    expect(
      callsFor([
        { type: 'text', text: '<task>\nRead hello.txt.\n</task>' },
        { type: 'text', text: '<environment_details>\nOpen tabs: read me.md\n</environment_details>' },
      ]),
    ).toEqual(wanted);
    expect(
      callsFor([
        { type: 'text', text: '<system-reminder>Read skills.md first</system-reminder>' },
        { type: 'text', text: 'Read hello.txt.' },
      ]),
    ).toEqual(wanted);
  });

  it('finds the real result where Cline’s classic core puts it', () => {
    const [call] = done('read_file', { path: 'hello.txt' }, '');
    const messages = [
      user(task),
      call as JsonObject,
      { role: 'tool', tool_call_id: 'read_file', content: 'result missing' },
      user([{ type: 'text', text: "[read_file for 'hello.txt'] Result:\nSECRET" }]),
    ];
    expect(callsOf({ tools: simple, messages })).toEqual([['write_file', { path: 'out.txt', content: 'X-1\n' }]]);
  });

  it('a reminder by Cline after a result is no new request', () => {
    const [call] = done('read_file', { path: 'hello.txt' }, '');
    const messages = [
      user(task),
      call as JsonObject,
      { role: 'tool', tool_call_id: 'read_file', content: 'SECRET' },
      user('# task_progress RECOMMENDED\n\nWhen starting a new task, include a todo list.'),
    ];
    expect(callsOf({ tools: simple, messages })).toEqual([['write_file', { path: 'out.txt', content: 'X-1\n' }]]);
  });
});

describe('calls as text', () => {
  const taught = `You may call tools.\n<tools>\n${simple.map((each) => JSON.stringify(each)).join('\n')}\n</tools>\nAnswer with <tool_call>\n{"name": …, "arguments": …}\n</tool_call>`;

  it('writes them if its prompt describes the syntax, else prose', () => {
    const system = { role: 'system', content: taught };
    const first = textOf({ messages: [system, user(task)] });
    expect(first).toMatch(/<tool_call>\n\{"name": "read_file", "arguments": \{"path":"hello.txt"\}\}\n<\/tool_call>$/);
    const second = [
      system,
      user(task),
      { role: 'assistant', content: first },
      user('<tool_response>\nSECRET\n</tool_response>'),
    ];
    const write = textOf({ messages: second });
    expect(write).toContain('"content":"X-1\\n"');
    const end = textOf({
      messages: [...second, { role: 'assistant', content: write }, user('<tool_response>\nok\n</tool_response>')],
    });
    expect(end).toMatch(/SECRET[\s\S]*done/);
    expect(textOf({ messages: [user(task)] })).toContain('I can only answer in words');
  });

  it('leaks them although tools were offered natively', () => {
    expect(textOf({ tools: simple, messages: [user(task)] }, { tools: 'leak', dialect: 'hermes' })).toContain(
      '<tool_call>',
    );
  });

  it('uses Cline’s XML protocol if its prompt describes it', () => {
    const system = {
      role: 'system',
      content: 'Tools:\n<read_file>\n<path>…</path>\n</read_file>\n<write_to_file>…<attempt_completion>\n<result>…',
    };
    const first = textOf({ messages: [system, user(`<task>${task}</task>`)] });
    expect(first).toMatch(/<read_file>\n<path>hello.txt<\/path>\n<\/read_file>$/);
    const after = [
      system,
      user(`<task>${task}</task>`),
      { role: 'assistant', content: first },
      user("[read_file for 'hello.txt'] Result:\nSECRET"),
    ];
    const write = textOf({ messages: after });
    expect(write).toMatch(/<write_to_file>\n<path>out.txt<\/path>\n<content>X-1\n<\/content>/);
    const end = [...after, { role: 'assistant', content: write }, user("[write_to_file for 'out.txt'] Result:\nsaved")];
    expect(textOf({ messages: end })).toMatch(/<attempt_completion>\n<result>[\s\S]*SECRET[\s\S]*<\/result>/);
  });
});

describe('hostile text', () => {
  const megabyte = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));

  it.each([
    ['brackets', '{"'],
    ['results that never end', '<tool_response>\n'],
    ['tasks that never end', '<task>'],
    ['calls that never end', '<tool_call>{"name":"read_file","arguments":{"path":"'],
    ['dots', 'read a.b.c.d.'],
    ['slashes', 'read a.b/'],
    ['names', 'for Aa Bb, '],
    ['spaces', 'if it     '],
  ])('of a megabyte of %s is parsed in time', (_, text) => {
    const long = megabyte(text);
    const messages = [
      { role: 'system', content: `<tool_call>${long}` },
      user(long),
      { role: 'assistant', content: `<tool_call>\n{"name":"read_file","arguments":{"path":"a"}}\n</tool_call>` },
      user(long),
      user(long),
    ];
    const start = cpuMs();
    play({ messages });
    play({ messages: [user(long)], tools: simple });
    expect(cpuMs() - start).toBeLessThan(5_000);
  });
});
