import { randomCuts } from '@callsmith/testing';
import { ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { dialects } from './dialects/index.ts';
import { parseCalls } from './parse-calls.ts';
import { parseText } from './parse-text.ts';

const string = { type: 'string' };
const tools = new ToolTable([
  { name: 'delete_file', parameters: { type: 'object', properties: { path: string }, required: ['path'] } },
  {
    name: 'write_file',
    parameters: { type: 'object', properties: { path: string, content: string }, required: ['path', 'content'] },
  },
  { name: 'get_weather', parameters: { type: 'object', properties: { city: string }, required: ['city'] } },
  {
    name: 'list',
    parameters: {
      type: 'object',
      properties: { count: { type: 'integer' }, deep: { type: 'boolean' }, tags: { type: 'array' } },
    },
  },
]);

const cuttings = (text: string) => ['whole', 1, 3, 7, randomCuts(text, 1), randomCuts(text, 2)] as const;

/** What is read of a text: the same however it is cut, held or streamed. */
function read(text: string, dialect = 'auto', dialectDeclared = true, marksCalls = false) {
  const seen = new Set<string>();
  for (const holdBytes of [null, 0, 24]) {
    for (const chunk of cuttings(text)) {
      const { content, toolCalls } = parseText({
        text,
        tools,
        dialect,
        dialectDeclared,
        marksCalls,
        chunk,
        finishReason: 'stop',
        holdBytes,
      });
      seen.add(JSON.stringify({ content, calls: toolCalls.map((call) => [call.name, JSON.parse(call.arguments)]) }));
    }
  }
  expect([...seen], text).toHaveLength(1);
  return JSON.parse([...seen][0] as string) as { content: string | null; calls: [string, unknown][] };
}

/** Calls that nothing marks, and their arguments. */
const unmarked = [
  ['a pythonic list', '[delete_file(path="a")]'],
  ['an object', '{"name": "delete_file", "arguments": {"path": "a"}}'],
  ['an array', '[{"name": "delete_file", "arguments": {"path": "a"}}]'],
  ['tool_calls', '{"tool_calls": [{"name": "delete_file", "arguments": {"path": "a"}}]}'],
  ['the residue of a stripped call', 'delete_file{"path": "a"}'],
] as const;
const wanted = ['delete_file', { path: 'a' }];

describe.each(unmarked)('%s at the start of the answer', (_, call) => {
  it('D-33 is a call where it stands alone, or only white space follows', () => {
    for (const text of [call, `${call}\n`, `\n ${call} \n\n`, `${call}<|im_end|>`])
      expect(read(text)).toEqual({ content: null, calls: [wanted] });
  });

  it('D-33 is text, byte for byte, where prose follows', () => {
    for (const behind of [
      ' is what I would call.',
      ' would do it.',
      '\n\nThat is the call that deletes it.',
      '\n```\nx\n```',
      ', or so.',
      '\u00a0?',
    ])
      expect(read(call + behind)).toEqual({ content: call + behind, calls: [] });
  });

  it('D-33 is a call where further calls follow', () => {
    const marked = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>';
    for (const text of [`${call}\n${marked}`, `${call}${marked}\n`, `${call}\nTool: get_weather(city="Rome")`])
      expect(read(text)).toEqual({ content: null, calls: [wanted, ['get_weather', { city: 'Rome' }]] });
  });

  it('D-33 is text where a marked call and then prose follow: only that is a call', () => {
    const marked = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>';
    expect(read(`${call}\n${marked}\nDone.`)).toEqual({
      content: `${call}\nDone.`,
      calls: [['get_weather', { city: 'Rome' }]],
    });
  });

  it('D-33 is a call behind reasoning', () => {
    expect(read(`<think>Hm.</think>\n${call}`).calls).toEqual([wanted]);
    expect(read(`<think>Hm.</think>\n${call} would do.`)).toEqual({ content: `${call} would do.`, calls: [] });
  });
});

describe('a call that nothing marks, at the start of the answer', () => {
  const large = { path: 'a', content: 'line\n'.repeat(20_000) };

  it('D-33 is text where it cannot be read and prose follows', () => {
    const text = '{"name": "delete_file", "arguments": {"path": oops}} is no JSON.';
    expect(read(text)).toEqual({ content: text, calls: [] });
  });

  it('is a call where brackets are left over behind it', () => {
    for (const rest of ['}', ']', '\n}]'])
      expect(read(`{"name": "delete_file", "arguments": {"path": "a"}}${rest}`).calls).toEqual([wanted]);
  });

  it('D-33 streams once it is longer than what is held of it', () => {
    const json = JSON.stringify({ name: 'write_file', arguments: large });
    let pieces = 0;
    let begun = 0;
    const sink = parseCalls({
      tools,
      dialect: 'auto',
      strategyUsed: 'native',
      holdBytes: 1024,
      toolChoice: 'auto',
      parallel: true,
    })({
      push: (event) => {
        if (event.type === 'tool-start') begun = pieces;
      },
      flush: () => {},
      end: () => {},
    });
    for (let at = 0; at < json.length; at += 100, pieces++)
      sink.push({ type: 'text-delta', choice: 0, text: json.slice(at, at + 100) });
    expect(begun).toBeGreaterThan(60);
    expect(begun).toBeLessThan(100);
    expect(read(json).calls).toEqual([['write_file', large]]);
  });

  it('D-33 remains a call behind which text comes, where it was too long to be held', () => {
    const json = JSON.stringify({ name: 'write_file', arguments: large });
    expect(read(`${json}\nThat writes it.`)).toEqual({ content: 'That writes it.', calls: [['write_file', large]] });
  });

  it('many short calls are held no longer than one long one', () => {
    const calls = Array.from({ length: 700 }, (_, at) => `delete_file(path="${at}")`);
    expect(read(`[${calls.join(', ')}]\nAll gone.`)).toMatchObject({ content: 'All gone.' });
  });

  it('is text where no name is on offer, however long it is', () => {
    for (const text of [`[nope(content="${'x'.repeat(9_000)}")]`, `[nope(content="${'x y\n'.repeat(9_000)}")] it is.`])
      expect(read(text)).toEqual({ content: text, calls: [] });
  });

  it('D-33 is sent at its end in one piece with its range and repairs', () => {
    const { notes } = parseText({
      text: "{'name': 'delete_file', 'arguments': {'path': 'a'}}",
      tools,
      dialect: 'auto',
      chunk: 1,
      finishReason: 'stop',
    });
    expect(notes).toContainEqual(expect.objectContaining({ rule: 'double-quotes', call: 0 }));
  });
});

const listed = '{"tool_calls": [{"name": "delete_file", "arguments": {"path": "a"}}]}';
/** The forms that D-9 lists for `auto`, with the text round them. */
const forms: readonly (readonly [form: string, text: string, content: string | null])[] = [
  ['bare tool_calls', listed, null],
  ['tool_calls in a fence', `\`\`\`json\n${listed}\n\`\`\``, null],
  ['tool_calls in a fence behind prose', `I delete it.\n\n\`\`\`json\n${listed}\n\`\`\`\n`, 'I delete it.'],
  ['Tool: with quotes', 'Tool: delete_file(path="a")', null],
  ['Tool: behind prose', 'I delete it.\nTool: delete_file(path="a")', 'I delete it.'],
  ['ReAct', 'Action: delete_file\nAction Input: {"path": "a"}', null],
  ['ReAct behind prose', 'I delete it.\nAction: delete_file\nAction Input: {"path": "a"}\n', 'I delete it.'],
  ['a pythonic list', '[delete_file(path="a")]', null],
  ['bare JSON', '{"name": "delete_file", "arguments": {"path": "a"}}', null],
  ['the name as a tag', '<delete_file>\n<path>a</path>\n</delete_file>', null],
];
/** Models of these dialects reason in a way that looks like one of the forms, or call so themselves. */
const names = dialects.map(({ name }) => name);

describe.each(forms)('%s', (_, text, content) => {
  it.each(names)('D-33 counts where nobody declared that the model speaks %s', (name) => {
    expect(read(text, name, false)).toEqual({ content, calls: [wanted] });
  });

  it('D-33 is text where somebody declared another dialect', () => {
    for (const name of ['harmony', 'deepseek-v3.1', 'glm-4.5'])
      expect(read(text, name)).toEqual({ content: text, calls: [] });
  });
});

describe('D-33 JSON in a fence, as Qwen2.5-Coder writes it', () => {
  const one = '{"name": "delete_file", "arguments": {"path": "a"}}';
  const other = '{"name": "get_weather", "arguments": {"city": "Rome"}}';
  const city = ['get_weather', { city: 'Rome' }];
  const inFence = (json: string, info = 'json') => `\`\`\`${info}\n${json}\n\`\`\``;

  it.each([
    ['an object', one, [wanted]],
    ['a list of one', `[${one}]`, [wanted]],
    ['a list', `[\n  ${one},\n  ${other}\n]`, [wanted, city]],
    ['objects on lines', `${one}\n${other}`, [wanted, city]],
  ])('%s is a call behind prose, where no prose follows', (_, json, calls) => {
    for (const info of ['json', ''])
      for (const declared of [true, false]) {
        const text = `I delete it.\n\n${inFence(json, info)}`;
        expect(read(text, 'hermes', declared)).toEqual({ content: 'I delete it.', calls });
        expect(read(`${text}\nThat is it.`, 'hermes', declared)).toEqual({
          content: `${text}\nThat is it.`,
          calls: [],
        });
      }
  });

  it('calls in two fences are two calls', () => {
    expect(read(`Both:\n${inFence(`[${one}]`)}\n${inFence(other)}`, 'hermes').calls).toEqual([wanted, city]);
  });

  it('a list that holds no call is text', () => {
    for (const json of ['[1, 2]', '[]', '[{"name": "nobody", "age": 3}]', '[{"path": "a"}]', '["delete_file"]']) {
      const text = `Here:\n${inFence(json)}`;
      expect(read(text, 'hermes')).toEqual({ content: text, calls: [] });
    }
  });
});

describe('a form at the start of a line', () => {
  const lines = [
    'Tool: delete_file(path="a")',
    'Action: delete_file\nAction Input: {"path": "a"}',
    '<delete_file>\n<path>a</path>\n</delete_file>',
  ];

  it('is a call where prose follows on another line', () => {
    for (const line of lines)
      for (const before of ['', 'I delete it.\n'])
        expect(read(`${before}${line}\nDone.`), line).toEqual({ content: `${before}Done.`, calls: [wanted] });
  });

  it('is text where prose follows on the same line, and what stands on other lines counts', () => {
    for (const line of lines)
      for (const behind of [' would do it.', ' or so.', ' –'])
        expect(read(`${line}${behind}\n${line}\n`)).toEqual({ content: `${line}${behind}`, calls: [wanted] });
  });

  it('is a call where another follows, wherever', () => {
    for (const line of lines)
      for (const other of lines) expect(read(`${line}\n${other}\n\n${line}`).calls).toEqual([wanted, wanted, wanted]);
  });

  it('streams once it is longer than what is held of it', () => {
    const content = 'line\n'.repeat(20_000);
    const text = `Tool: write_file(path="a", content=${JSON.stringify(content)}) is long.`;
    expect(read(text)).toEqual({ content: 'is long.', calls: [['write_file', { path: 'a', content }]] });
  });
});

describe('D-33 Tool: with values without quotes', () => {
  it.each([
    ['path=/tmp/a', 'delete_file', { path: '/tmp/a' }],
    ['path=a', 'delete_file', { path: 'a' }],
    ['path = my file (1).txt ', 'delete_file', { path: 'my file (1).txt' }],
    ['path=C:\\new\\a.txt', 'delete_file', { path: 'C:\\new\\a.txt' }],
    ['city=New York, NY', 'get_weather', { city: 'New York, NY' }],
    ['path=/tmp/a, content=one, two', 'write_file', { path: '/tmp/a', content: 'one, two' }],
    ['path=/tmp/a, content="one, path=2"', 'write_file', { path: '/tmp/a', content: 'one, path=2' }],
    ['path="/tmp/a", content=x == 1', 'write_file', { path: '/tmp/a', content: 'x == 1' }],
    ['count=5, deep=true, tags=[1, 2]', 'list', { count: 5, deep: true, tags: [1, 2] }],
  ] as const)('%s', (args, name, wantedArguments) => {
    expect(read(`Tool: ${name}(${args})`)).toEqual({ content: null, calls: [[name, wantedArguments]] });
    expect(read(`Hm.\nTool: ${name}(${args})\nTool: get_weather(city=Rome)\nDone.`)).toEqual({
      content: 'Hm.\nDone.',
      calls: [
        [name, wantedArguments],
        ['get_weather', { city: 'Rome' }],
      ],
    });
  });
});

describe('D-33 a model that was seen to mark its calls', () => {
  const places = ['auto', 'hermes'] as const;

  it('does not call behind prose by a form that nothing marks', () => {
    for (const dialect of places)
      for (const [, text, content] of forms)
        expect(read(text, dialect, false, true), text).toEqual(
          content === null ? { content, calls: [wanted] } : { content: text, calls: [] },
        );
  });

  it('calls behind prose by its own dialect and by every marker, in a fence too', () => {
    const marked = '[TOOL_CALLS][{"name": "delete_file", "arguments": {"path": "a"}}]';
    for (const dialect of places)
      for (const call of [marked, `\`\`\`\n${marked}\n\`\`\``])
        expect(read(`I delete it.\n${call}`, dialect, false, true).calls).toEqual([wanted]);
    for (const [dialect, call] of [
      ['tool-colon-call', 'Tool: delete_file(path="a")'],
      ['fenced-tool-calls-json', `\`\`\`json\n${listed}\n\`\`\``],
    ] as const)
      expect(read(`I delete it.\n${call}`, dialect, false, true).calls).toEqual([wanted]);
  });

  it('tells which calls nothing marked', () => {
    const details = (text: string, dialect: string) =>
      parseText({ text, tools, dialect, dialectDeclared: false, chunk: 'whole', finishReason: 'stop' }).notes.filter(
        ({ detail }) => detail === 'unmarked-call',
      ).length;
    for (const [, text] of forms) expect(details(text, 'glm-4.5'), text).toBe(1);
    expect(details('[delete_file(path="a"), delete_file(path="b")]', 'auto')).toBe(2);
    expect(details('Tool: delete_file(path="a")', 'tool-colon-call')).toBe(0);
    expect(details('[TOOL_CALLS][{"name": "delete_file", "arguments": {"path": "a"}}]', 'auto')).toBe(0);
  });
});

describe('code blocks inside code blocks', () => {
  const fenced = `\`\`\`json\n{"tool_calls": [{"name": "delete_file", "arguments": {"path": "a"}}]}\n\`\`\``;
  const marked = '<tool_call>\n{"name": "delete_file", "arguments": {"path": "a"}}\n</tool_call>';

  it('a call in a block that stands in another one is text', () => {
    for (const outer of ['```', '```markdown', '```` md'])
      for (const text of [`Write:\n\n${outer}\n${fenced}\n${outer.replace(/[^`]/g, '')}\n\nThat is it.`])
        for (const dialect of ['auto', 'fenced-tool-calls-json'])
          expect(read(text, dialect)).toEqual({ content: text, calls: [] });
    const xml = `It is\n\`\`\`md\n# T\n\`\`\`xml\n${marked}\n\`\`\`\nmore\n\`\`\`\nand no call.`;
    for (const dialect of ['auto', 'hermes']) expect(read(xml, dialect)).toEqual({ content: xml, calls: [] });
  });

  it.each([
    ['one inside another', '```md\n# T\n```sh\nls\n```\nmore\n```\n\n'],
    ['one behind another', '```sh\nls\n```\n```sh\npwd\n```\n'],
    ['text on the closing fence', '```sh\nls\n``` \n'],
    ['the call on the closing fence', '```sh\nls\n```'],
  ])('%s: a call behind them is made', (_, before) => {
    for (const dialect of ['auto', 'hermes']) {
      const { content, calls } = read(before + marked, dialect);
      expect([content?.trim(), calls]).toEqual([before.trim(), [wanted]]);
    }
  });
});

describe('behind prose, in the own form of a model that marks nothing', () => {
  const call = '{"name": "delete_file", "parameters": {"path": "a"}}';

  it('llama3-json: an object on its line at the end is a call', () => {
    expect(read(`I delete it.\n\n${call}`, 'llama3-json')).toEqual({ content: 'I delete it.', calls: [wanted] });
    expect(read(`I delete it.\n${call}; ${call}\n`, 'llama3-json').calls).toEqual([wanted, wanted]);
  });

  it('llama3-json: it is text where prose follows, or in a line', () => {
    for (const text of [`You send:\n\n${call}\n\nand wait.`, `You send ${call}`, `You send:\n\`${call}\``])
      expect(read(text, 'llama3-json')).toEqual({ content: text, calls: [] });
  });
});

it('a block of YAML may have the line ends of Windows', () => {
  const text = '<list>\r\ndeep: true\r\ncount: 3\r\n</list>';
  expect(read(text, 'yaml-xml').calls).toEqual([['list', { deep: true, count: 3 }]]);
});

describe('a call that a document shows', () => {
  const call = '{"name": "delete_file", "arguments": {"path": "a"}}';
  const forms = [
    `<tool_call>\n${call}\n</tool_call>`,
    '[TOOL_CALLS]delete_file[ARGS]{"path": "a"}',
    `[TOOL_REQUEST]${call}[END_TOOL_REQUEST]`,
    '<tool_call>\n<function=delete_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>',
  ];

  it('is text in an element for code, in an HTML comment and in a table', () => {
    for (const form of forms)
      for (const [before, behind] of [
        ['Write:\n<pre>\n', '\n</pre>\nThat deletes it.'],
        ['<pre class="x"><code>\n', '\n</code></pre>'],
        ['<example>\n', '\n</example>\nSo it is.'],
        ['<!--\n', '\n-->\nDone.'],
      ] as const)
        expect(read(`${before}${form}${behind}`), form).toEqual({ content: `${before}${form}${behind}`, calls: [] });
    const row = `| call | what it does |\n|---|---|\n| <tool_call>${call}</tool_call> | deletes |`;
    expect(read(row)).toEqual({ content: row, calls: [] });
  });

  it('is text in a quotation within a sentence', () => {
    for (const [open, close] of ['""', '“”', '()', '«»'].map((pair) => [...pair] as [string, string])) {
      const text = `You write ${open}<tool_call>${call}</tool_call>${close} to delete it.`;
      expect(read(text)).toEqual({ content: text, calls: [] });
    }
    const code = `Use <code><tool_call>${call}</tool_call></code> for that.`;
    expect(read(code)).toEqual({ content: code, calls: [] });
  });

  it('is text with its markers escaped, where prose follows', () => {
    const escaped = `&lt;tool_call&gt;${call.replaceAll('"', '&quot;')}&lt;/tool_call&gt;`;
    expect(read(`${escaped}\nis how it looks.`)).toEqual({ content: `${escaped}\nis how it looks.`, calls: [] });
    expect(read(`I delete it.\n${escaped}`)).toEqual({ content: 'I delete it.', calls: [wanted] });
  });

  it('is a call behind such an element, behind one that is only named, and in one that never closes', () => {
    for (const form of forms) {
      expect(read(`<pre>x</pre>\n${form}\nDone.`)).toEqual({ content: '<pre>x</pre>\nDone.', calls: [wanted] });
      expect(read(`The <code> tag.\n${form}\nDone.`)).toEqual({ content: 'The <code> tag.\nDone.', calls: [wanted] });
      expect(read(`I use <pre> here.\n${form}`)).toEqual({ content: 'I use <pre> here.', calls: [wanted] });
    }
  });
});
