import { ToolTable } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { parseText } from './parse-text.ts';

const string = { type: 'string' };
const tools = new ToolTable([
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: string, limit: { type: 'integer' } }, required: ['path'] },
  },
  { name: 'bash', parameters: { type: 'object', properties: { command: string }, required: ['command'] } },
]);

function read(text: string, dialect: string, declared = true, held = [null, 0]) {
  const seen = new Set<string>();
  for (const holdBytes of held)
    for (const chunk of ['whole', 1, 3, 7] as const) {
      const { content, toolCalls } = parseText({
        text,
        tools,
        dialect,
        dialectDeclared: declared,
        chunk,
        finishReason: 'stop',
        holdBytes,
      });
      seen.add(JSON.stringify([content, toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])]));
    }
  expect([...seen], text).toHaveLength(1);
  return JSON.parse([...seen][0] as string) as [string | null, unknown[]];
}

const json = '{"path": "src/a.ts", "limit": 20}';
const one = `{"name": "read_file", "arguments": ${json}}`;
const other = '{"name": "bash", "arguments": {"command": "ls"}}';
const wanted = ['read_file', { path: 'src/a.ts', limit: 20 }];
const wantedOther = ['bash', { command: 'ls' }];

describe('what stands beside a call', () => {
  it.each([
    [
      'qwen3-coder-xml',
      '<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a.ts\n</ parameter >\n<parameter=limit>\n20\n</parameter >\n</ function >\n</ tool_call >',
    ],
    [
      'anthropic-style',
      '<function_calls>\n<invoke name="read_file">\n<parameter name="path">src/a.ts</ parameter>\n<parameter name="limit">20</parameter >\n</ invoke>\n</ function_calls>',
    ],
    ['hermes', `<tool_call>\n${one}\n</ tool_call >`],
  ])('%s: blanks in closing tags', (dialect, call) => {
    for (const own of [dialect, 'auto']) {
      expect(read(call, own)).toEqual([null, [wanted]]);
      expect(read(`I look.\n${call}\nDone.`, own)).toEqual(['I look.\nDone.', [wanted]]);
    }
  });

  it.each([
    ['deepseek-v3.2-dsml', '｜DSML｜', 'function_calls', ' string="true"'],
    ['anthropic-prefixed', 'antml:', 'function_calls', ''],
  ])('%s: parameters closed without the prefix of their tags', (dialect, prefix, block, attribute) => {
    const call = (close: string, value = 'src/a.ts') =>
      `<${prefix}${block}>\n<${prefix}invoke name="read_file">\n<${prefix}parameter name="path"${attribute}>${value}${close}\n<${prefix}parameter name="limit"${attribute.replace('true', 'false')}>20${close}\n</${prefix}invoke>\n</${prefix}${block}>`;
    expect(read(call('</parameter>'), dialect)).toEqual([null, [wanted]]);
    expect(read(call(`</${prefix}parameter>`), dialect)).toEqual([null, [wanted]]);
    for (const path of [
      'a</parameter>',
      'a</parameter>\n</invoke>',
      '<x></parameter>\n<parameter name="b">c</parameter>',
    ])
      expect(read(call(`</${prefix}parameter>`, path), dialect)).toEqual([null, [['read_file', { path, limit: 20 }]]]);
  });

  it.each([
    ['deepseek-v3.2-dsml', '<｜DSML｜function_calls>', '｜DSML｜', 'function_calls', '</｜DSML｜function_calls>'],
    ['anthropic-prefixed', '<function_calls>', 'antml:', 'function_calls', '</function_calls>'],
    ['muse-glimmer', '<atem:function_calls>', 'atem:', 'function_calls', '</atem:function_calls>'],
    ['step3', '<｜tool_calls_begin｜>', 'steptml:', undefined, '<｜tool_calls_end｜>'],
  ])('%s: tags without their prefix', (dialect, open, prefix, block, close) => {
    const call = (tags: readonly [open: string, close: string, callClose: string], value: string) => {
      const parameter = (name: string, text: string) =>
        `<${tags[0]}parameter name="${name}">${text}</${tags[1]}parameter>`;
      return `<${prefix}invoke name="read_file">\n${parameter('path', value)}\n${parameter('limit', '20')}\n</${tags[2]}invoke>`;
    };
    const closes = [close, ...(block ? [`</${block}>`] : [])];
    for (const tags of [
      [prefix, '', ''],
      [prefix, '', prefix],
      [prefix, prefix, ''],
      ['', '', prefix],
      ['', '', ''],
    ] as const) {
      const parameters = call(tags, 'src/a.ts');
      for (const end of closes) {
        expect(read(`${open}\n${parameters}\n${end}`, dialect)).toEqual([null, [wanted]]);
        expect(read(`${open}\n${parameters}\n${parameters}\n${end}`, dialect)).toEqual([null, [wanted, wanted]]);
      }
      expect(read(`${open}\n${parameters}`, dialect), 'the block is never closed').toEqual([null, [wanted]]);
    }
    // A file that holds such tags has the dialect's own closing tag behind it.
    for (const path of [
      '</parameter>\n</invoke>',
      `<invoke name="x">\n<parameter name="y">z</parameter>\n</invoke>\n${closes.at(-1)}`,
    ]) {
      if (path.includes(close)) continue;
      expect(read(`${open}\n${call([prefix, prefix, prefix], path)}\n${close}`, dialect)).toEqual([
        null,
        [['read_file', { path, limit: 20 }]],
      ]);
    }
  });

  it.each([
    [
      'qwen3-coder-xml',
      '<tool_call>\n<function=read_file>\n<parameter=path>\nVALUE\nCLOSE\n<parameter=limit>\n20\nCLOSE\n</function>\n</tool_call>',
      '</parameter>',
      'parameter',
    ],
    [
      'minimax-m2',
      '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">VALUECLOSE\n<parameter name="limit">20CLOSE\n</invoke>\n</minimax:tool_call>',
      '</parameter>',
      'parameter',
    ],
    [
      'glm-4.5',
      '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>VALUECLOSE\n<arg_key>limit</arg_key>\n<arg_value>20CLOSE\n</tool_call>',
      '</arg_value>',
      'arg_value',
    ],
  ])('%s: values closed by other tags', (dialect, call, own, name) => {
    const text = (value: string, close: string) => call.replace('VALUE', value).replaceAll('CLOSE', close);
    const tags = [`</${name.toUpperCase()}>`, `</${name}=path>`, `<\\/${name}>`, `</${name}`, `<${name}>`];
    for (const close of ['</param>', '</value>', '</parameters>', ...tags])
      expect(read(text('src/a.ts', close), dialect), close).toEqual([null, [wanted]]);
    // What the value opened itself is part of it, as is all before its own closing tag.
    for (const path of [
      '<param>a</param>',
      'a</param>',
      'a</value></parameters>',
      '</string>\n</invoke>\n</function_calls>',
    ])
      expect(read(text(path, own), dialect), path).toEqual([null, [['read_file', { path, limit: 20 }]]]);
  });

  it.each([
    [
      'qwen3-coder-xml',
      '<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a.ts\n</parameter>\n<parameter=limit>\n20\n</parameter>\nCLOSE\n</tool_call>',
    ],
    [
      'minimax-m2',
      '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">src/a.ts</parameter>\n<parameter name="limit">20</parameter>\nCLOSE\n</minimax:tool_call>',
    ],
    [
      'deepseek-v3.2-dsml',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">src/a.ts</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">20</｜DSML｜parameter>\nCLOSE\n</｜DSML｜function_calls>',
    ],
    [
      'glm-4.5',
      '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>src/a.ts</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>20</arg_value>\nCLOSE',
    ],
  ])('%s: calls closed by other tags', (dialect, call) => {
    for (const close of ['</read_file>', '</function_call>', '</tool>', '</INVOKE>', '</function>'])
      expect(read(call.replace('CLOSE', close), dialect), close).toEqual([null, [wanted]]);
  });

  it('deepseek-v3.2-dsml: names behind an equals sign, or behind another attribute', () => {
    for (const [head, more] of [
      ['=', ''],
      [' type="string" name=', ''],
      [' name=', ' type="string"'],
    ] as const) {
      const text = `<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter${head}"path"${more} string="true">src/a.ts</｜DSML｜parameter>\n<｜DSML｜parameter${head}"limit"${more} string="false">20</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`;
      expect(read(text, 'deepseek-v3.2-dsml'), head).toEqual([null, [wanted]]);
    }
  });

  it.each([
    [
      'glm-4.5',
      '<tool_call>read_file()\n<arg_key>path</arg_key>\n<arg_value>src/a.ts</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>20</arg_value>\n</tool_call>',
    ],
    ['mistral-v11', `[TOOL_CALLS]read_file()[ARGS]${json}`],
    ['mistral-v11', `[TOOL_CALLS]read_file() ${json}`],
    ['hermes', `<tool_call>read_file()${json}</tool_call>`],
    ['gemma4', '<|tool_call>call:read_file(){path:<|"|>src/a.ts<|"|>,limit:20}<tool_call|>'],
    ['react', `Action: read_file()\nAction Input: ${json}`],
  ])('%s: brackets behind the name, and the arguments behind them', (dialect, text) => {
    expect(read(text, dialect)).toEqual([null, [wanted]]);
  });

  it('ReAct: the input in a list', () => {
    expect(read(`Action: read_file\nAction Input: [${json}]`, 'react')).toEqual([null, [wanted]]);
  });

  it.each([
    [
      '<tool_call>{&quot;name&quot;: &quot;read_file&quot;, &quot;arguments&quot;: {&quot;path&quot;: &quot;src/a.ts&quot;, &quot;limit&quot;: 20}}</tool_call>',
    ],
    [
      '<tool_call>\n&lt;function=read_file&gt;\n&lt;parameter=path&gt;src/a.ts&lt;/parameter&gt;\n&lt;parameter=limit&gt;20&lt;/parameter&gt;\n&lt;/function&gt;\n&lt;/tool_call&gt;',
    ],
    [
      '<tool_call>read_file\n&lt;arg_key&gt;path&lt;/arg_key&gt;&lt;arg_value&gt;src/a.ts&lt;/arg_value&gt;&lt;arg_key&gt;limit&lt;/arg_key&gt;&lt;arg_value&gt;20&lt;/arg_value&gt;</tool_call>',
    ],
    ['<tool_call>call:read_file{path:<|"|>src/a.ts<|"|>,limit:20}</tool_call>'],
    [`tool_call>\n${one}\n</tool_call>`],
    [`<tool_call\n${one}\n</tool_call>`],
    [`＜tool_call＞\n${one}\n＜/tool_call＞`],
  ])('in a marker that is cut or of another form, or escaped behind it: %s', (text) => {
    for (const dialect of ['hermes', 'auto']) {
      expect(read(text, dialect)).toEqual([null, [wanted]]);
      expect(read(`I look.\n${text}`, dialect)).toEqual(['I look.', [wanted]]);
    }
  });

  it('a name whose underscores are escaped', () => {
    for (const dialect of ['hermes', 'auto'])
      expect(read(`<tool_call>\n${one.replace('read_file', 'read\\_file')}\n</tool_call>`, dialect)).toEqual([
        null,
        [wanted],
      ]);
  });

  it('a closing tag with blanks that closes nothing stays in its value', () => {
    const call = (value: string) =>
      `<tool_call>\n<function=bash>\n<parameter=command>\n${value}\n</parameter>\n</function>\n</tool_call>`;
    for (const value of ['echo "</ parameter >" && ls', 'a </ parameter\nb', 'x < / parameter > y'])
      expect(read(call(value), 'qwen3-coder-xml')).toEqual([null, [['bash', { command: value }]]]);
  });

  it.each([
    ['hermes', `<tool_call>\n${one}\n</tool_call>`, '<tool_call>'],
    ['auto', `<tool_call>\n${one}\n</tool_call>`, '<tool_call>'],
    ['apertus', `<|tools_prefix|>[{"read_file": ${json}}]<|tools_suffix|>`, '<|tools_prefix|>'],
    [
      'qwen3-coder-xml',
      '<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a.ts\n</parameter>\n<parameter=limit>\n20\n</parameter>\n</function>\n</tool_call>',
      '<tool_call>',
    ],
  ])('%s: an opening marker said twice is left out', (dialect, call, opener) => {
    for (const between of ['', '\n', ' \n'])
      expect(read(`I look.\n${opener}${between}${call}`, dialect)).toEqual(['I look.', [wanted]]);
    expect(read(`${opener}\n${opener}\nis a tag`, dialect)).toEqual([`${opener}\n${opener}\nis a tag`, []]);
  });

  it.each(['hermes', 'auto'])('%s: the name and the arguments as elements', (dialect) => {
    for (const [name, args] of [
      ['name', 'arguments'],
      ['tool_name', 'parameters'],
    ])
      for (const inside of [json, '<path>src/a.ts</path>\n<limit>20</limit>']) {
        const call = `<tool_call>\n<${name}>read_file</${name}>\n<${args}>\n${inside}\n</${args}>\n</tool_call>`;
        expect(read(call, dialect), call).toEqual([null, [wanted]]);
        expect(read(`I look.\n${call}\n${call}`, dialect), call).toEqual(['I look.', [wanted, wanted]]);
      }
    const prose = '<tool_call>\n<name>Ada</name>\n<arguments>{}</arguments>\n</tool_call>';
    expect(read(prose, dialect)).toEqual([prose, []]);
  });

  it.each(['glm-4.5', 'glm-4.7', 'auto'])('%s: a call without arguments may lack its closing marker', (dialect) => {
    const none = new ToolTable([{ name: 'git_status', parameters: { type: 'object', properties: {} } }]);
    const call = (text: string, offered: ToolTable, finishReason: 'stop' | 'length') =>
      parseText({ text, tools: offered, dialect, chunk: 3, finishReason }).toolCalls.map(({ name }) => name);
    expect(call('I look.\n<tool_call>git_status', none, 'stop')).toEqual(['git_status']);
    expect(call('<tool_call>git_status\n', none, 'stop')).toEqual(['git_status']);
    expect(call('<tool_call>git_status', none, 'length')).toEqual([]);
    expect(call('<tool_call>git_status is a tag', none, 'stop')).toEqual([]);
    expect(call('<tool_call>bash', tools, 'stop')).toEqual([]);
  });

  it.each(['✿RESULT✿', '✿RETURN✿', '✿RESULT✿:'])('the marker %s between two calls holds no result', (marker) => {
    const call = (path: string) => `✿FUNCTION✿: read_file\n✿ARGS✿: {"path": "${path}"}`;
    const of = (path: string) => ['read_file', { path }];
    const text = `${call('a')}\n${marker}\n${call('b')}\n${marker}`;
    expect(read(text, 'qwen-agent-legacy')).toEqual([null, [of('a'), of('b')]]);
    const invented = `${call('a')}\n${marker} text\n${call('b')}`;
    expect(read(invented, 'qwen-agent-legacy')).toEqual([null, [of('a')]]);
  });

  it('a quote that opens nothing behind a number is left out', () => {
    const call = (args: string) => `<tool_call>{"name": "read_file", "arguments": ${args}}</tool_call>`;
    for (const args of [
      '{"path": "src/a.ts", "limit": 20"}',
      '{"limit": 20" ,\n "path": "src/a.ts"}',
      `{"limit":20', "path": "src/a.ts"}`,
    ])
      expect(read(call(args), 'hermes')[1]).toEqual([['read_file', expect.objectContaining({ limit: 20 })]]);
    expect(read(call('{"limit": 20"path": "src/a.ts"}'), 'hermes')).toEqual([null, [wanted]]);
  });
});

describe('a closing bracket too many', () => {
  it.each([
    ['bare-json', `${one}}`],
    ['bare-json', `${one}\n}`],
    ['bare-json', `${one}}}`],
    ['llama3-json', `<|python_tag|>{"name": "read_file", "parameters": ${json}}}`],
    ['granite-20b-fc', `<function_call> ${one}}`],
    ['gigachat3', `<|function_call|>${one}}`],
    ['granite-3', `<tool_call>[${one}}]`],
    ['mistral-array', `[TOOL_CALLS] [${one}}]`],
    ['jamba', `<tool_calls>[${one}}]</tool_calls>`],
    ['nemotron-toolcall', `<TOOLCALL>[${one}}]</TOOLCALL>`],
    ['phi4-mini', `functools[${one}}]`],
    ['fenced-tool-calls-json', `\`\`\`json\n{"tool_calls": [${one}}]}\n\`\`\``],
    ['hermes', `<tool_call>\n${one}}\n</tool_call>`],
  ])('%s: %s is a call, and nothing of it is text', (dialect, text) => {
    expect(read(text, dialect)).toEqual([null, [wanted]]);
    expect(read(text, 'auto', false)).toEqual([null, [wanted]]);
  });

  it.each([
    ['jamba', `<tool_calls>[${one}}, ${other}]</tool_calls>`],
    ['mistral-array', `[TOOL_CALLS][${one}},\n${other}}]`],
    ['bare-json', `${one}}\n${other}`],
  ])('%s: %s are two calls', (dialect, text) => {
    expect(read(text, dialect)).toEqual([null, [wanted, wantedOther]]);
  });

  it('behind a list that holds no call is text', () => {
    for (const text of ['[1, 2}]', '[}', '{"a": 1}}', '<tool_calls>[}]</tool_calls>'])
      expect(read(text, 'bare-json')).toEqual([text, []]);
  });
});

describe('arguments that are JSON inside a string', () => {
  const encoded = JSON.stringify(json);

  it.each([
    ['functionary-v3.1', `<function=read_file>${encoded}</function>`],
    ['functionary-v3.2', `>>>read_file\n${encoded}`],
    ['calling-tool', `[Calling tool: read_file(${encoded})]`],
  ])('%s: %s', (dialect, text) => {
    expect(read(text, dialect)).toEqual([null, [wanted]]);
  });

  it('other strings in their place are text', () => {
    for (const text of ['>>>read_file\n"quoted" text', '<function=read_file>"a"</function>'])
      expect(read(text, 'functionary-v3.2')).toEqual([text, []]);
  });
});

describe('an unknown name before one that is on offer', () => {
  const unknown = '{"name": "no_such_tool", "arguments": {"x": 1}}';

  it.each([
    ['objects on lines', `${unknown}\n${one}`],
    ['a list', `[${unknown}, ${one}]`],
    ['tool_calls', `{"tool_calls": [${unknown}, ${one}]}`],
  ])('%s at the start of the answer: the call that is on offer is made', (_, text) => {
    for (const dialect of ['auto', 'hermes', 'glm-4.5']) expect(read(text, dialect, false)).toEqual([null, [wanted]]);
  });

  it('an unknown name alone is text', () => {
    for (const text of [unknown, `[${unknown}]`, `${unknown}\n${unknown}`, `{"tool_calls": [${unknown}]}`])
      expect(read(text, 'auto', false)).toEqual([text, []]);
  });
});

describe('a token that ends the turn', () => {
  const fenced = `\`\`\`json\n{"tool_calls": [${one}]}\n\`\`\``;

  it.each(['<|im_end|>', '\n<|im_end|>\n', '</s>', '<|eot_id|>'])('%j behind a fence is no text', (end) => {
    for (const before of ['', 'I read it.\n'])
      expect(read(`${before}${fenced}${end}`, 'auto', false)).toEqual([before.trim() || null, [wanted]]);
  });

  it('is text where text follows', () => {
    const text = `${fenced}<|im_end|>\nThat is it.`;
    expect(read(text, 'auto', false)[1]).toEqual([]);
  });
});

describe('arguments in round brackets that are no Python', () => {
  it.each([
    ['read_file(path: "src/a.ts", limit: 20)', wanted],
    ['read_file(path: src/a.ts, limit: 20)', wanted],
    ["read_file('path': 'src/a.ts', 'limit': 20)", wanted],
    ['read_file({"path": "src/a.ts", "limit": 20})', wanted],
    ['read_file({path: "src/a.ts", limit: 20})', wanted],
    ['bash(command: ls)', wantedOther],
    ['functions.read_file(path="src/a.ts", limit=20)', wanted],
    ['bash(command: grep -n "a, b" x.ts)', ['bash', { command: 'grep -n "a, b" x.ts' }]],
  ])('%s', (call, expected) => {
    expect(read(`<tool_call>${call}</tool_call>`, 'hermes')).toEqual([null, [expected]]);
    expect(read(`[${call}]`, 'pythonic-llama')[1]).toEqual([expected]);
  });

  it.each([
    ['read_file(path=src/a.ts, limit=20)', wanted],
    ['read_file(limit=20, path=src/a.ts)', wanted],
    ['read_file(path=/tmp/a b (1).ts)', ['read_file', { path: '/tmp/a b (1).ts' }]],
    ['bash(command=ls)', wantedOther],
    ['bash(command=$HOME/bin/x -a | grep "a, b")', ['bash', { command: '$HOME/bin/x -a | grep "a, b"' }]],
    [String.raw`bash(command: \"ls\")`, wantedOther],
    [String.raw`read_file(path=\"src/a.ts\", limit=20)`, wanted],
    [String.raw`bash(command=\"echo \\\"a) b\\\"\")`, ['bash', { command: 'echo "a) b"' }]],
  ])('values without quotes, or with escaped ones: %s', (call, expected) => {
    for (const text of [call, `[${call}]`, `<tool_call>${call}</tool_call>`, `<tool_call>[${call}]</tool_call>`])
      for (const dialect of ['auto', 'hermes', 'pythonic-llama'])
        expect(read(text, dialect, dialect === 'auto', [null, 64])).toEqual([null, [expected]]);
    const two = `[${call}, bash(command="ls")]`;
    expect(read(two, 'pythonic-llama', true, [null, 64])).toEqual([null, [expected, wantedOther]]);
  });

  it.each([
    'bash(command="ls " + flags)',
    'bash(command=command)',
    'bash(command=shell_command)',
    'read_file(path=a.ts, limit=many)',
    'read_file(file=a.ts)',
    'read_file(limit=20, lines=a)',
  ])('%s means something else than its text', (call) => {
    const [, calls] = read(`[${call}]`, 'pythonic-llama', true, [null, 64]);
    for (const [, args] of calls as [string, object][]) expect(Object.keys(args)).toEqual(['input']);
  });

  it('a signature is not filled with the names of its types', () => {
    expect(read('<tool_call>read_file(path: string, limit: integer)</tool_call>', 'hermes')[1]).not.toEqual([
      ['read_file', { path: 'string', limit: 'integer' }],
    ]);
  });
});

describe('a call in a wrapper that is none', () => {
  const forms: [string, (call: string) => string][] = [
    ['the closing marker on both sides', (call) => `</tool_call>${call}</tool_call>`],
    ['the same on lines', (call) => `</tool_call>\n${call}\n</tool_call>`],
    ['the closing marker before it', (call) => `</tool_call>\n${call}`],
    ['the markers of a result', (call) => `<tool_response>\n${call}\n</tool_response>`],
    ['those of a result, not closed', (call) => `<tool_response>${call}`],
    ['capitals', (call) => `<TOOL_CALL>\n${call}\n</TOOL_CALL>`],
    ['no underscore', (call) => `<toolcall>${call}</toolcall>`],
    ['a hyphen', (call) => `<tool-call>\n${call}\n</tool-call>`],
    ['a space', (call) => `<tool_call >\n${call}\n</tool_call>`],
    ['a shorter tag', (call) => `<tool>${call}</tool>`],
    ['square brackets', (call) => `[TOOL_CALL]\n${call}\n[/TOOL_CALL]`],
  ];

  it.each(forms)('%s: it is made where nothing but calls follows', (_, form) => {
    for (const dialect of ['auto', 'hermes', 'qwen3-coder-xml']) {
      expect(read(form(one), dialect, false)).toEqual([null, [wanted]]);
      expect(read(`I read it.\n${form(one)}\n`, dialect, false)).toEqual(['I read it.', [wanted]]);
      expect(read(`${form(one)}\n${form(other)}`, dialect, false)).toEqual([null, [wanted, wantedOther]]);
      expect(read(`<think>\nHm.\n</think>\n\n${form(one)}`, dialect, false)[1]).toEqual([wanted]);
    }
  });

  it.each(forms)('%s: is text where prose follows, in code, in a line, and with other names', (_, form) => {
    const unknown = '{"name": "no_such_tool", "arguments": {"x": 1}}';
    for (const text of [
      `${form(one)}\nis how it writes a call.`,
      `It wrote:\n\`\`\`\n${form(one)}\n\`\`\`\nand no more.`,
      `It wrote ${form(one)}`,
      form(unknown),
      form('{"name": "Alice", "age": 3}'),
      form('a.ts\nb.ts'),
      form('[1, 2]'),
    ])
      for (const dialect of ['auto', 'hermes']) expect(read(text, dialect, false)).toEqual([text, []]);
  });

  it('a result that is invented behind a call is none', () => {
    const text = `<tool_call>\n${one}\n</tool_call>\n<tool_response>\n${other}\n</tool_response>\nDone.`;
    for (const dialect of ['auto', 'hermes']) expect(read(text, dialect, false)).toEqual([null, [wanted]]);
    const bare = `${one}\n<tool_response>\n${other}\n</tool_response>`;
    for (const dialect of ['auto', 'hermes']) expect(read(bare, dialect, false)).toEqual([null, [wanted]]);
  });
});

describe('arguments under the name as their key', () => {
  const pair = (args: string) => `{"read_file": ${args}}`;

  it.each([
    ['apertus', '<|tools_prefix|>[', ']<|tools_suffix|>'],
    ['hermes', '<tool_call>\n', '\n</tool_call>'],
  ])('%s: as an object, a string, in a fence, and behind its word', (dialect, before, behind) => {
    for (const own of [dialect, 'auto'])
      for (const args of [json, JSON.stringify(json), `\`\`\`json\n${json}\n\`\`\``, `json\n${json}`])
        expect(read(`${before}${pair(args)}${behind}`, own)).toEqual([null, [wanted]]);
  });

  it.each(['"x"', '"json"', '"", "b": 1'])('no arguments: %s', (value) => {
    const text = `<|tools_prefix|>[${pair(value)}]<|tools_suffix|>`;
    expect(read(text, 'apertus')).toEqual([text, []]);
  });
});

describe('doubled braces around arguments', () => {
  it.each([
    [
      'deepseek-v3.1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>',
      '<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    [
      'kimi-k2',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>',
      '<|tool_call_end|><|tool_calls_section_end|>',
    ],
    ['harmony', '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>', '<|call|>'],
    ['mistral-v11', '[TOOL_CALLS]read_file[ARGS]', ''],
    ['functionary-v3.1', '<function=read_file>', '</function>'],
    ['react', 'Action: read_file\nAction Input: ', ''],
    ['hermes', '<tool_call>\n{"name": "read_file", "arguments": ', '}\n</tool_call>'],
  ])('%s', (dialect, before, behind) => {
    for (const own of [dialect, 'auto'])
      for (const args of [`{${json}}`, `\`\`\`json\n{${json}}\n\`\`\``])
        expect(read(`${before}${args}${behind}`, own)).toEqual([null, [wanted]]);
  });
});

describe('arguments with tags or words around them', () => {
  it.each([
    ['hermes', '<tool_call>\n{"name": "read_file", "arguments": ', '}\n</tool_call>'],
    [
      'deepseek-v3.1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>',
      '<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    ['harmony', '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>', '<|call|>'],
  ])('%s', (dialect, before, behind) => {
    for (const args of [`<parameters>${json}</parameters>`, `Here it is: ${json}`])
      expect(read(`${before}${args}${behind}`, dialect)).toEqual([null, [wanted]]);
    const other = '<parameters>{"file": "a"}</parameters>';
    expect(read(`${before}${other}${behind}`, dialect)).toEqual([null, [['read_file', { input: other }]]]);
  });
});

describe('a fence around arguments whose name stands before them', () => {
  it.each([
    ['functionary-v3.1', '<function=read_file>', '</function>'],
    ['qwen3-coder-xml', '<tool_call>\n<function=read_file>\n', '\n</function>\n</tool_call>'],
    ['minimax-m2', '<minimax:tool_call>\n<invoke name="read_file">\n', '\n</invoke>\n</minimax:tool_call>'],
    ['mistral-v11', '[TOOL_CALLS]read_file[ARGS]', ''],
    ['mistral-v11', '[TOOL_CALLS]read_file[ARGS]\n', ''],
    ['mistral-v11', '[TOOL_CALLS]read_file\n', ''],
    ['functionary-v3.2', '>>>read_file\n', ''],
    ['calling-tool', '[Calling tool: read_file(', ')]'],
    ['glm-4.5', '<tool_call>read_file\n', '\n</tool_call>'],
    ['hermes', '<tool_call>\nread_file\n', '\n</tool_call>'],
    ['hermes', '<tool_call>\n<name>read_file</name>\n<arguments>\n', '\n</arguments>\n</tool_call>'],
  ])('%s: %j', (dialect, before, behind) => {
    for (const own of [dialect, 'auto'])
      for (const [begin, end] of [
        ['```json\n', '\n```'],
        ['```\n', '\n```'],
        ['```', '```'],
        ['json\n', '\n'],
      ]) {
        const call = `${before}${begin}${json}${end}${behind}`;
        expect(read(call, own)).toEqual([null, [wanted]]);
        expect(read(`I look.\n${call}`, own)).toEqual(['I look.', [wanted]]);
      }
  });

  it.each(['<function=read_file>\n```json\nno object\n```\n', '>>>read_file\n```sh\nls {}\n```\n'])(
    'no call: %j',
    (text) => {
      expect(read(text, 'auto')).toEqual([text, []]);
    },
  );
});

describe('a call as a tag: <NAME(…)>', () => {
  it.each(['<read_file(path="src/a.ts", limit=20)>', '<read_file({"path": "src/a.ts", "limit": 20})/>'])(
    '%s',
    (call) => {
      for (const dialect of ['auto', 'hermes', 'cline-flat-xml']) {
        for (const text of [call, `${call}\n`, `${call}</read_file>`])
          expect(read(text, dialect, false)).toEqual([null, [wanted]]);
        expect(read(`I read it.\n${call}\n<bash(command='ls')>`, dialect, false)).toEqual([
          'I read it.',
          [wanted, wantedOther],
        ]);
      }
    },
  );

  it('is text where prose follows, in a line, with another name, or without arguments', () => {
    for (const text of [
      '<read_file(path="a")> reads a file.',
      '<read_file(path="a")>\n\nThat would read it. Shall I?',
      'Use <read_file(path="a")>',
      '<no_such_tool(path="a")>',
      '<read_file(path)>\n<bash(command)>',
      '<read_file(source="a")>',
      '<read_files(path="a")>',
    ])
      for (const dialect of ['auto', 'hermes']) expect(read(text, dialect, false)).toEqual([text, []]);
  });
});
