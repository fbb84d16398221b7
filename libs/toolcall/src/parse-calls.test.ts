import { runSync } from '@callsmith/stream';
import { Fault, fold, parseExact, ToolTable, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { dialects } from './dialects/index.ts';
import { type ParseCallsOptions, parseCalls } from './parse-calls.ts';

const tools = new ToolTable([
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' }, mode: { type: 'integer' } },
      required: ['path'],
    },
  },
  { name: 'git_status', parameters: { type: 'object', properties: {} } },
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
]);

const options: ParseCallsOptions = {
  tools,
  dialect: 'hermes',
  strategyUsed: 'native',
  holdBytes: 1024,
  toolChoice: 'auto',
  parallel: true,
};

type Fragment = { index?: number; id?: string; name?: string; arguments?: unknown };
const fragment = (of: Fragment): UpstreamEvent => ({ type: 'call-fragment', choice: 0, ...of });
const text = (content: string): UpstreamEvent => ({ type: 'text-delta', choice: 0, text: content });
const end = (reason: 'stop' | 'length' | 'tool_calls' = 'tool_calls'): UpstreamEvent => ({
  type: 'turn-end',
  choice: 0,
  reason,
});

function run(events: readonly UpstreamEvent[], changes: Partial<ParseCallsOptions> = {}, fault?: Fault) {
  const { out, fault: ended } = runSync(parseCalls({ ...options, ...changes }), events, fault);
  const choice = fold(out).choices[0];
  return {
    out,
    fault: ended,
    calls: (choice?.calls ?? []).map((call) => [call.name, call.arguments]),
    text: choice?.text ?? '',
    reason: choice?.reason,
    notes: choice?.notes ?? [],
    rules: (choice?.notes ?? []).map((note) => note.rule ?? note.class),
  };
}

describe('text goes out as it comes', () => {
  const answers = [
    ['I', ' will', ' look', ' at', ' the', ' file', '.'],
    ['Sure', '!', ' Let', ' me', ' see', '.'],
    ['get', '-together', ' is', ' one', ' word'],
    ['git_status', ' says', ' that', ' nothing', ' changed'],
    ['Let me print the file (it is short) and go on.'],
    ['functions', ' are', ' here'],
    ['functions.', ' That', ' was', ' one'],
    ['Look:', '\n```python\nimport os\n', 'x = 1\n', '```\nThat', ' is it'],
  ];
  /** Words that may begin a call: they wait for what follows them. */
  const mayCall = /^(?:get|git_status|functions\.?)$/;

  /** Those whose calls begin like prose or like code. */
  const wordy = ['harmony', 'functionary-v2', 'fenced-tool-calls-json', 'pythonic-lfm2', 'pythonic-llama', 'tool-code'];

  for (const dialect of ['auto', ...dialects.map(({ name }) => name).filter((name) => !wordy.includes(name))])
    it(`${dialect}: an answer's first words wait for nothing`, () => {
      for (const pieces of answers) {
        let out = '';
        const reader = parseCalls({ ...options, dialect })({
          push: (event) => {
            if (event.type === 'text-delta') out += event.text;
          },
          flush: () => {},
          end: () => {},
        });
        let input = '';
        for (const [at, piece] of pieces.entries()) {
          reader.push(text(piece));
          input += piece;
          if (at > 0 || !mayCall.test(input)) expect(out.trimEnd(), `${dialect}: ${input}`).toBe(input.trimEnd());
        }
      }
    });
});

describe('native calls', () => {
  it('M-2 pass on as they are, with our ids, numbered from 0', () => {
    const read = run([
      fragment({ index: 0, id: 'a', name: 'write_file', arguments: '' }),
      fragment({ index: 0, arguments: '{"path": ' }),
      fragment({ index: 0, arguments: '"a"}' }),
      end(),
    ]);
    expect(read.calls).toEqual([['write_file', '{"path": "a"}']]);
    expect(read.notes).toEqual([]);
    const start = read.out.find((event) => event.type === 'tool-start');
    expect(start).toMatchObject({ index: 0, id: expect.stringMatching(/^call_[0-9a-f]{24}$/) as string });
  });

  it('start at index 1, or have none', () => {
    for (const [first, second] of [
      [1, 2],
      [undefined, undefined],
      [7, 3],
    ] as const) {
      const read = run([
        fragment({ ...(first !== undefined && { index: first }), id: 'a', name: 'git_status', arguments: '{}' }),
        fragment({
          ...(second !== undefined && { index: second }),
          id: 'b',
          name: 'write_file',
          arguments: '{"path":"x"}',
        }),
        end(),
      ]);
      expect(read.calls).toEqual([
        ['git_status', '{}'],
        ['write_file', '{"path":"x"}'],
      ]);
      expect(read.rules).toContain('renumber-calls');
    }
  });

  it('share one index: a new id and name begin a new call', () => {
    const read = run([
      fragment({ index: 0, id: 'a', name: 'git_status', arguments: '{}' }),
      fragment({ index: 0, id: 'b', name: 'write_file', arguments: '{"path":"x"}' }),
      end('stop'),
    ]);
    expect(read.calls).toEqual([
      ['git_status', '{}'],
      ['write_file', '{"path":"x"}'],
    ]);
    expect(read.reason).toBe('tool_calls');
    expect(read.rules).toContain('split-calls');
  });

  it('are glued into one string: a whole object followed by another is another call', () => {
    const read = run([
      fragment({ index: 0, id: 'a', name: 'write_file', arguments: '{"path":"x"}{"path":"y"}' }),
      end(),
    ]);
    expect(read.calls).toEqual([
      ['write_file', '{"path":"x"}'],
      ['write_file', '{"path":"y"}'],
    ]);
  });

  it('repeat id and name on every piece', () => {
    const read = run([
      fragment({ index: 0, id: 'a', name: 'write_file', arguments: '{"pa' }),
      fragment({ index: 0, id: 'a', name: 'write_file', arguments: 'th":"x"' }),
      fragment({ index: 0, id: 'a', name: 'write_file', arguments: '}' }),
      fragment({ index: 0, id: 'a', name: 'write_file', arguments: '' }),
      end(),
    ]);
    expect(read.calls).toEqual([['write_file', '{"path":"x"}']]);
  });

  it('give the name in pieces', () => {
    const read = run([
      fragment({ index: 0, id: 'a', name: 'get_' }),
      fragment({ index: 0, name: 'weather' }),
      fragment({ index: 0, arguments: '{}' }),
      end(),
    ]);
    expect(read.calls).toEqual([['get_weather', '{}']]);
  });

  it('M-6 give arguments as an object', () => {
    const read = run([fragment({ index: 0, name: 'write_file', arguments: { path: 'x' } }), end()]);
    expect(read.calls).toEqual([['write_file', '{"path":"x"}']]);
    expect(read.rules).toContain('stringify-arguments');
  });

  it('M-6 arguments as an object keep the numbers that a double cannot hold', () => {
    const json = '{"path":"a","content":"b","id":12345678901234567890,"most":1e400}';
    const read = run([fragment({ index: 0, name: 'write_file', arguments: parseExact(json) }), end()]);
    expect(read.calls).toEqual([['write_file', json]]);
  });

  it('M-3, D-4 wrap arguments beyond repair, on every route', () => {
    for (const proxyRules of [true, false]) {
      const read = run([fragment({ index: 0, name: 'write_file', arguments: '{"path": oops no json}' }), end()], {
        proxyRules,
      });
      expect(read.calls).toEqual([['write_file', '{"input":"{\\"path\\": oops no json}"}']]);
      expect(read.notes.map((note) => note.action)).toContain('wrapped');
    }
  });

  it('M-4, D-6 without arguments: dropped on /proxy, {} elsewhere', () => {
    for (const none of [undefined, null, '']) {
      const events = [
        fragment({ index: 0, id: 'a', name: 'git_status', ...(none !== undefined && { arguments: none }) }),
        end(),
      ];
      expect(run(events, { proxyRules: true }).calls).toEqual([]);
      expect(run(events).calls).toEqual([['git_status', '{}']]);
    }
    expect(run([fragment({ index: 0, name: 'write_file' }), end()], { proxyRules: true })).toMatchObject({
      calls: [],
      text: 'The model called "write_file" without arguments. It requires: path.',
    });
    const twice = [0, 1].map((index) => fragment({ index, name: 'write_file' }));
    expect(run([...twice, end()], { proxyRules: true }).text).toBe(
      'The model called "write_file" without arguments. It requires: path.',
    );
    expect(
      run([fragment({ index: 0, name: 'git_status', arguments: '{}' }), end()], { proxyRules: true }).calls,
    ).toEqual([['git_status', '{}']]);
  });

  it('D-35 without the arguments that it requires a call goes out as {}, counted, and never ends as a plain stop', () => {
    for (const reason of ['stop', 'tool_calls'] as const) {
      const read = run([fragment({ index: 0, name: 'write_file', arguments: '' }), end(reason)]);
      expect(read).toMatchObject({ calls: [['write_file', '{}']], text: '', reason: 'tool_calls' });
      expect(read.rules).toEqual(['MissingArguments', 'SchemaMismatch']);
    }
  });

  it('D-35 arguments that end in the middle although the model had ended the call go out wrapped', () => {
    for (const reason of ['stop', 'tool_calls', undefined] as const) {
      const events = [fragment({ index: 0, name: 'write_file', arguments: '{"path":"a","content":"half' })];
      const read = run(reason ? [...events, end(reason)] : events);
      expect(read.calls).toEqual([['write_file', '{"input":"{\\"path\\":\\"a\\",\\"content\\":\\"half"}']]);
      expect(read.reason).toBe('tool_calls');
    }
  });

  it('D-35 a call cut by the token limit ends as its text and length', () => {
    const read = run([fragment({ index: 0, name: 'write_file', arguments: '{"path":"a' }), end('length')]);
    expect(read).toMatchObject({ calls: [], text: 'write_file {"path":"a', reason: 'length' });
  });

  it('D-5 a value of the wrong type is replaced in place, never on /proxy', () => {
    const events = [fragment({ index: 0, name: 'write_file', arguments: '{ "path":"a",  "mode":"7" }' }), end()];
    expect(run(events).calls).toEqual([['write_file', '{ "path":"a",  "mode":7 }']]);
    expect(run(events, { proxyRules: true }).calls).toEqual([['write_file', '{ "path":"a",  "mode":"7" }']]);
  });

  it('D-1 cut by the token limit: dropped while held', () => {
    const read = run([
      fragment({ index: 0, name: 'write_file', arguments: '{"path":"a","content":"half' }),
      end('length'),
    ]);
    expect(read.calls).toEqual([]);
    expect(read.reason).toBe('length');
    expect(read.rules).toContain('Truncated');
  });

  it('D-1 cut while streaming: an error ends the stream, and no finish reason', () => {
    const read = run([
      fragment({ index: 0, name: 'write_file', arguments: `{"path":"a","content":"${'x'.repeat(2000)}` }),
      end('length'),
    ]);
    expect(read.fault?.code).toBe('tool_call_truncated');
    expect(read.out.filter((event) => event.type === 'turn-end')).toEqual([]);
    expect(read.out.find((event) => event.type === 'tool-end')).toMatchObject({ whole: false });
  });

  it('D-3 an unknown name that came natively passes on and is counted', () => {
    const read = run([fragment({ index: 0, name: 'nope', arguments: '{"a":1}' }), end()]);
    expect(read.calls).toEqual([['nope', '{"a":1}']]);
    expect(read.rules).toContain('UnknownName');
  });
});

describe('D-36 native argument text', () => {
  const object = '{"path": "a"}';
  it.each([
    ['a fence', `\`\`\`json\n${object}\n\`\`\``],
    ['a json prefix', `json\n${object}`],
    ['a sentence behind it', `${object}\nDone.`],
    ['a sentence before it', `Here it is: ${object}`],
    ['a control token', `${object}<|im_end|>`],
    ['a closing tag', `${object}</tool_call>`],
    ['tags around it', `<parameters>${object}</parameters>`],
    ['a call around it', `{"name":"write_file","arguments":${object}}`],
    ['arguments in arguments', `{"arguments":${object}}`],
    ['a call around it, encoded twice', `{"name":"write_file","arguments":${JSON.stringify(object)}}`],
    ['a fence, encoded twice', JSON.stringify(`\`\`\`json\n${object}\n\`\`\``)],
    ['HTML-escaped', '{&quot;path&quot;: &quot;a&quot;}'],
    ['HTML-escaped, in a fence', '```json\n{&quot;path&quot;: &quot;a&quot;}\n```'],
    ['encoded three times', JSON.stringify(JSON.stringify(object))],
    ['encoded four times', JSON.stringify(JSON.stringify(JSON.stringify(object)))],
  ])('%s', (_, args) => {
    for (const size of [1, 5, 1000]) {
      const pieces = args.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      const read = run([
        ...pieces.map((piece, at) => fragment({ index: 0, ...(at === 0 && { name: 'write_file' }), arguments: piece })),
        end(),
      ]);
      expect(read.calls).toEqual([['write_file', object]]);
      expect(read.notes.some((note) => note.action === 'repaired')).toBe(true);
    }
  });

  it('a list of one string is the only required string', () => {
    expect(run([fragment({ index: 0, name: 'write_file', arguments: '["x"]' }), end()]).calls).toEqual([
      ['write_file', '{"path":"x"}'],
    ]);
  });

  it('a quoted string is one, not JSON within JSON', () => {
    const args = JSON.stringify(JSON.stringify('a "quoted" name'));
    expect(run([fragment({ index: 0, name: 'write_file', arguments: args }), end()]).calls).toEqual([
      ['write_file', `{"path":${args}}`],
    ]);
  });

  it('text of which an object is a part is the only required string', () => {
    const args = 'x = {"a": 1}\nprint(x)';
    expect(run([fragment({ index: 0, name: 'write_file', arguments: args }), end()]).calls).toEqual([
      ['write_file', JSON.stringify({ path: args })],
    ]);
  });

  it('two objects, unknown keys or a long text leave it wrapped', () => {
    for (const args of [
      `${object} and {"path": "b"}`,
      `{"elsewhere": 1}\nDone.`,
      `${object}\n${'That is why I write it. '.repeat(10)}`,
    ]) {
      expect(run([fragment({ index: 0, name: 'write_file', arguments: args }), end()]).calls).toEqual([
        ['write_file', JSON.stringify({ input: args })],
      ]);
    }
  });

  it('what follows a whole object that already went out is left out', () => {
    const args = `{"path":"a","content":"${'x'.repeat(2000)}"}`;
    const read = run([
      fragment({ index: 0, name: 'write_file', arguments: `${args}\n` }),
      fragment({ index: 0, arguments: '<|im_end|>' }),
      end(),
    ]);
    expect([read.calls, read.fault]).toEqual([[['write_file', args]], undefined]);
    expect(read.rules).toContain('extract-arguments');
  });

  it('M-2 on /proxy valid JSON keeps its bytes, whatever it holds', () => {
    const args = `{"name":"write_file","arguments":${object}}`;
    const read = run([fragment({ index: 0, name: 'write_file', arguments: args }), end()], { proxyRules: true });
    expect(read.calls).toEqual([['write_file', args]]);
    expect(read.rules).toEqual(['SchemaMismatch']);
  });
});

describe('calls beside each other', () => {
  it('prose where arguments belong is not sent beside a readable call of the same tool, before or behind it', () => {
    const prose = fragment({ index: 0, name: 'write_file', arguments: 'I will write the file.' });
    const readable = { name: 'write_file', arguments: '{"path":"a"}' };
    for (const events of [
      [prose, fragment({ index: 1, ...readable })],
      [fragment({ index: 0, ...readable }), { ...prose, index: 1 }],
    ]) {
      const read = run([...events, end()]);
      expect(read.calls).toEqual([['write_file', '{"path":"a"}']]);
      expect(read.notes).toContainEqual(expect.objectContaining({ class: 'InvalidJson', action: 'dropped' }));
    }
    expect(run([prose, fragment({ index: 1, name: 'git_status', arguments: '{}' }), end()]).calls).toEqual([
      ['write_file', '{"input":"I will write the file."}'],
      ['git_status', '{}'],
    ]);
  });

  const readable = '{"path":"a"}';

  it.each([
    '"I will write the file."',
    '{"input":"I will write the file."}',
    '{ "input" : "I will write the file, and then I will look at it again to see that nothing is missing." }',
    '{"input":{"note":"I will write the file"}}',
    '{"path":"a","content":"half',
    '{"path":',
    '{',
  ])(
    '%s is not sent beside a readable call of the same tool, wherever it stands and however little is held',
    (unusable) => {
      for (const holdBytes of [null, 0, 1, 8, 16, 1024])
        for (const size of [1, 3, 1000])
          for (const order of [
            [unusable, readable],
            [readable, unusable],
            [unusable, unusable, readable, unusable],
          ]) {
            const events = order.flatMap((args, index) =>
              (args.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((piece, place) =>
                fragment({ index, ...(place === 0 && { id: `c${index}`, name: 'write_file' }), arguments: piece }),
              ),
            );
            const read = run([...events, end()], { holdBytes });
            const message = `${JSON.stringify(order)} with ${holdBytes} bytes held, in pieces of ${size}`;
            expect([read.fault, read.calls], message).toEqual([undefined, [['write_file', readable]]]);
          }
    },
  );

  it('a string that may well be the only required parameter is sent beside a readable call', () => {
    const events = ['"a.txt"', readable].map((args, index) => fragment({ index, name: 'write_file', arguments: args }));
    expect(run([...events, end()]).calls).toEqual([
      ['write_file', '{"path":"a.txt"}'],
      ['write_file', readable],
    ]);
  });

  it('whole arguments that cannot be read are sent, wrapped, beside a readable call: they say what was meant', () => {
    const events = ['{"path": oops}', readable].map((args, index) =>
      fragment({ index, name: 'write_file', arguments: args }),
    );
    expect(run([...events, end()]).calls).toEqual([
      ['write_file', '{"input":"{\\"path\\": oops}"}'],
      ['write_file', readable],
    ]);
  });

  it('arguments under "input" are sent where the tool declares it, or no readable call is beside them', () => {
    const argumentsJson = '{"input":"ls"}';
    const declared = new ToolTable([
      { name: 'run', parameters: { type: 'object', properties: { input: { type: 'string' } } } },
      { name: 'free' },
    ]);
    for (const name of ['run', 'free'])
      for (const holdBytes of [null, 0]) {
        const calls = [0, 1].map((index) => fragment({ index, name, arguments: argumentsJson }));
        expect(run([...calls, end()], { tools: declared, holdBytes }).calls).toEqual([
          [name, argumentsJson],
          [name, argumentsJson],
        ]);
      }
    expect(
      run([fragment({ index: 0, name: 'write_file', arguments: argumentsJson }), end()], { holdBytes: 0 }).calls,
    ).toEqual([['write_file', argumentsJson]]);
  });

  it('a call of which nothing went out yet ends no stream when it is cut', () => {
    const long = `{"path":"a","content":"${'x'.repeat(2000)}`;
    const read = run([
      fragment({ index: 0, name: 'git_status', arguments: '{' }),
      fragment({ index: 1, name: 'write_file', arguments: long }),
      end('length'),
    ]);
    expect([read.fault, read.calls, read.reason]).toEqual([undefined, [], 'length']);
  });
});

describe('D-34 what was delivered is checked', () => {
  it.each([
    [null, 'finalize'],
    [0, 'stream'],
  ] as const)('held up to %s bytes', (holdBytes, stage) => {
    const json = `{"path":["a"],"content":"${'x'.repeat(40)}"}`;
    const read = run([fragment({ index: 0, name: 'write_file', arguments: json }), end()], { holdBytes });
    expect(read.calls).toEqual([['write_file', json]]);
    expect(read.notes).toEqual([
      expect.objectContaining({
        class: 'SchemaMismatch',
        stage,
        detail: 'arguments.path: type (array, not string)',
        call: 0,
      }),
    ]);
  });
});

describe('holding and streaming', () => {
  const long = `<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "${'x'.repeat(100)}"}}\n</tool_call>`;
  const deltas = (events: readonly TurnEvent[]) => events.filter((event) => event.type === 'tool-delta').length;
  const pieces = [...long].map(text);

  it('D-7 holdBytes 0 streams at once, null never before the end', () => {
    expect(deltas(run([...pieces, end('stop')], { holdBytes: 0 }).out)).toBeGreaterThan(100);
    expect(deltas(run([...pieces, end('stop')], { holdBytes: null }).out)).toBe(1);
  });

  it('D-7 what has gone out is always a prefix of the final arguments', () => {
    const { out, calls } = run([...pieces, end('stop')], { holdBytes: 20 });
    let sent = '';
    for (const event of out) if (event.type === 'tool-delta') sent += event.json;
    expect(sent).toBe(calls[0]?.[1]);
    expect(deltas(out)).toBeGreaterThan(50);
  });

  it('text before a call goes out at once', () => {
    const seen: TurnEvent[] = [];
    const sink = parseCalls(options)({ push: (event) => seen.push(event), flush: () => {}, end: () => {} });
    sink.push(text('Hello the'));
    expect(seen).toEqual([{ type: 'text-delta', choice: 0, text: 'Hello the' }]);
    sink.push(text('re <tool'));
    expect(seen.at(-1)).toEqual({ type: 'text-delta', choice: 0, text: 're' });
    sink.push(text('box>'));
    expect(seen.at(-1)).toEqual({ type: 'text-delta', choice: 0, text: ' <toolbox>' });
  });
});

describe('how a turn ends', () => {
  it('D-8 no finish and no fault is a clean end', () => {
    expect(run([text('Hi')]).reason).toBe('stop');
    expect(run([fragment({ index: 0, name: 'git_status', arguments: '{}' })]).reason).toBe('tool_calls');
  });

  it('D-8 tool_calls without a call becomes stop', () => {
    expect(run([text('Hi'), end('tool_calls')]).reason).toBe('stop');
  });

  it('D-19 required without a call is an error', () => {
    expect(run([text('Hi'), end('stop')], { toolChoice: 'required' }).fault?.code).toBe('tool_call_required');
    expect(
      run([fragment({ name: 'git_status', arguments: '{}' }), end()], { toolChoice: 'required' }).fault,
    ).toBeUndefined();
  });

  it('D-19 none leaves the text unread', () => {
    const modelText = '<tool_call>{"name":"git_status","arguments":{}}</tool_call>';
    const read = run([text(modelText), end('stop')], { toolChoice: 'none' });
    expect([read.text, read.calls, read.reason]).toEqual([modelText, [], 'stop']);
  });

  it('FR-003 at most one call where parallel calls are off', () => {
    const read = run(
      [
        fragment({ index: 0, name: 'git_status', arguments: '{}' }),
        fragment({ index: 1, name: 'write_file', arguments: '{"path":"a"}' }),
        end(),
      ],
      { parallel: false },
    );
    expect(read.calls).toEqual([['git_status', '{}']]);
    expect(read.rules).toContain('CallForbidden');
  });

  it('D-16 without tools the text passes as it is', () => {
    const modelText = '<tool_call>{"name":"git_status","arguments":{}}</tool_call>  ';
    expect(run([text(modelText), end('stop')], { tools: new ToolTable() }).text).toBe(modelText);
  });

  it('D-13 each choice is read for itself', () => {
    const { out } = runSync(parseCalls(options), [
      { type: 'text-delta', choice: 1, text: '<tool_call>{"name":"git_status","arguments":{}}</tool_call>' },
      { type: 'text-delta', choice: 0, text: 'Hi' },
      { type: 'turn-end', choice: 0, reason: 'stop' },
      { type: 'turn-end', choice: 1, reason: 'stop' },
    ]);
    expect(fold(out).choices.map((choice) => [choice.text, choice.calls.length, choice.reason])).toEqual([
      ['Hi', 0, 'stop'],
      ['', 1, 'tool_calls'],
    ]);
  });

  it("D-10 a call in an engine's reasoning counts only if nothing else came", () => {
    const call = '<tool_call>{"name":"git_status","arguments":{}}</tool_call>';
    const thought: UpstreamEvent = { type: 'reasoning-delta', choice: 0, text: `Look. ${call}` };
    expect(run([thought, end('stop')]).calls).toEqual([['git_status', '{}']]);
    expect(run([thought, text('No.'), end('stop')]).calls).toEqual([]);
  });

  it('a call that leaked into the text of a native answer is rescued', () => {
    const read = run([text('<tool_call>{"name":"git_status","arguments":{}}</tool_call>'), end('stop')]);
    expect(read.notes).toEqual([expect.objectContaining({ class: 'LeakedCall', action: 'rescued', call: 0 })]);
  });
});
