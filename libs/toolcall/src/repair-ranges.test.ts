import { runSync } from '@callsmith/stream';
import { type Finding, fold, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { parseCalls } from './parse-calls.ts';
import { type Rule, rules } from './rules.ts';

const text = { type: 'string' };
const tools = new ToolTable([
  {
    name: 'bash',
    parameters: { type: 'object', properties: { command: text, timeout: { type: 'integer' } }, required: ['command'] },
  },
  {
    name: 'grep',
    parameters: {
      type: 'object',
      properties: { pattern: text, include: { type: 'array', items: text }, mode: { enum: ['lines', 'files'] } },
      required: ['pattern'],
    },
  },
  { name: 'git_status', parameters: { type: 'object', properties: {} } },
]);

/** Where the repair is to be marked: a part that the text has once, all of the call, or what stands, or is missing, behind some text. */
type Place = string | { readonly call: string } | { readonly behind: string; readonly part: string };
type Case = readonly [dialect: string, modelText: string, place: Place];

const head = '<tool_call>{"name":"bash","arguments":';
const bash = (args: string): string => `${head}${args}}</tool_call>`;
const whole = (dialect: string, call: string): Case => [dialect, call, { call }];
const inBash = (args: string, place: Place): Case => ['hermes', bash(args), place];
const missing = (dialect: string, behind: string, rest = ''): Case => [dialect, behind + rest, { behind, part: '' }];

/** One or several texts for every repair that a text can need. */
const inText: Partial<Record<Rule, readonly Case[]>> = {
  'close-wrapper': [
    missing('hermes', '<tool_call>{"name":"bash","arguments":{"command":"ls"}}'),
    missing('glm-4.5', '<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>'),
    missing('tool-code', '```tool_code\ngit_status()'),
  ],
  'open-wrapper': [
    [
      'deepseek-v3.1',
      '<｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command":"ls"}<｜tool▁call▁end｜>',
      '<｜tool▁call▁begin｜>',
    ],
  ],
  'drop-stray-close': [
    [
      'qwen3-coder-xml',
      '<tool_call>\n<function=bash>\n</parameter>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>',
      { behind: '<tool_call>\n<function=bash>\n', part: '</parameter>' },
    ],
  ],
  'drop-closers': [['hermes', '<tool_call>{"name":"bash","arguments":{"command":"ls"}}}}\n</tool_call>', '}}\n']],
  'keep-inner-close': [
    [
      'glm-4.7',
      '<tool_call>bash<arg_key>command</arg_key><arg_value>a </arg_value> b</arg_value></tool_call>',
      'a </arg_value> b</arg_value>',
    ],
  ],
  'close-parameter': [
    missing('qwen3-coder-xml', '<tool_call>\n<function=bash>\n<parameter=command>\nls\n', '</function>\n</tool_call>'),
  ],
  'open-value': [missing('glm-4.5', '<tool_call>bash\n<arg_key>command</arg_key>', 'ls</arg_value>\n</tool_call>')],
  'tolerate-tag': [
    [
      'qwen3-coder-xml',
      '<tool_call>\n<function=bash>\n<parameter name="command">ls</parameter>\n</function>\n</tool_call>',
      '<parameter name="command">',
    ],
    [
      'harmony',
      '<|channel|>analysis to=functions.bash <|constrain|>json<|message|>{"command":"ls"}<|call|>',
      'analysis to=functions.bash <|constrain|>json<|message|>',
    ],
  ],
  'ascii-marker': [
    [
      'deepseek-v3.1',
      '<|tool_calls_begin|><|tool_call_begin|>bash<|tool_sep|>{"command":"ls"}<|tool_call_end|><|tool_calls_end|>',
      '<|tool_calls_begin|>',
    ],
  ],
  'strip-fence': [
    ['hermes', `\`\`\`xml\n${bash('{"command":"ls"}')}\n\`\`\``, `\`\`\`xml\n${bash('{"command":"ls"}')}\n\`\`\``],
    ['hermes', '<tool_call>\n```json\n{"name":"bash","arguments":{"command":"ls"}}\n```\n</tool_call>', '```json'],
  ],
  'foreign-wrapper': [
    [
      'qwen3-coder-xml',
      '<tool_use>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</tool_use>',
      '<tool_use>',
    ],
  ],
  'restore-markers': [['deepseek-v3-r1', 'functionbash\n```json\n{"command":"ls"}\n```', 'function']],
  'unescape-markup': [
    whole('hermes', '&lt;tool_call&gt;{"name":"bash","arguments":{"command":"ls"}}&lt;/tool_call&gt;'),
  ],
  'end-reasoning': [['hermes', `<think>Hm.\n${bash('{"command":"ls"}')}`, { call: bash('{"command":"ls"}') }]],
  'promote-reasoning': [
    ['hermes', `<think>Hm.\n${bash('{"command":"ls"}')}</think>`, { call: bash('{"command":"ls"}') }],
  ],
  'drop-invented-result': [
    ['hermes', `${bash('{"command":"ls"}')}\n<tool_response>a</tool_response>`, '<tool_response>'],
  ],
  'drop-turn-token': [['hermes', `${bash('{"command":"ls"}')}\n<|im_end|><|endoftext|>`, '<|im_end|><|endoftext|>']],
  'unwrap-call': [
    ['hermes', '<tool_call>{"function":{"name":"bash","arguments":{"command":"ls"}}}</tool_call>', '"function":'],
  ],
  'argument-key': [
    ['hermes', '<tool_call>{"name":"bash", "input" : {"command":"ls"}}</tool_call>', '"input" :'],
    ['hermes', '<tool_call>{"bash": {"command":"ls"}}</tool_call>', '"bash":'],
  ],
  'add-closers': [
    [
      'hermes',
      '<tool_call>{"name":"grep","arguments":{"pattern":"x","include":["a"}}</tool_call>',
      { behind: '<tool_call>{"name":"grep","arguments":{"pattern":"x","include":["a"', part: '}' },
    ],
    missing('hermes', '<tool_call>{"name":"bash","arguments":{"command":"ls"', '</tool_call>'),
  ],
  'escape-control': [inBash('{"command":"a\nb\tc"}', '\nb\t')],
  'keep-backslash': [inBash('{"command":"a\\qb"}', '\\q')],
  'drop-backslash': [inBash('{"command":"it\\\'s"}', { behind: `${head}{"command":"it`, part: '\\' })],
  'drop-quote': [
    inBash('{"command":"ls","timeout":2"}', { behind: `${head}{"command":"ls","timeout":2`, part: '"' }),
    inBash('{"timeout":2" , "command":"ls"}', { behind: `${head}{"timeout":2`, part: '"' }),
  ],
  'double-quotes': [inBash('{\'command\':"ls"}', "'command'")],
  'straighten-quotes': [inBash('{“command”:"ls"}', '“command”')],
  'python-literals': [inBash('{"command":"ls","timeout":None}', 'None')],
  'quote-values': [whole('tool-colon-call', 'Tool: bash(command=ls -la)')],
  'quote-keys': [inBash('{command:"ls"}', 'command')],
  'drop-comments': [inBash('{"command":"ls" /* é🙂 */}', '/* é🙂 */'), inBash('{"command":"ls" // é🙂\n}', '// é🙂')],
  'drop-commas': [
    inBash('{"command":"ls" ,\n}', { behind: `${head}{"command":"ls" `, part: ',' }),
    inBash('{"command":"ls",,"timeout":5}', { behind: `${head}{"command":"ls",`, part: ',' }),
  ],
  'add-commas': [
    missing('hermes', '<tool_call>{"name":"bash","arguments":{"command":"ls"\n', '"timeout":5}}</tool_call>'),
  ],
  'skip-invisible': [inBash('{\u200b"command":"ls"}', '\u200b')],
  'mend-numbers': [inBash('{"command":"ls","timeout":+5}', '+5')],
  'escape-inner-quotes': [inBash('{"command":"say "hi" now"}', '{"command":"say "hi" now"}')],
  'decode-arguments': [whole('hermes', bash('"{\\"command\\":\\"ls\\"}"'))],
  'wrap-input': [whole('hermes', bash('{"command": oops and more}'))],
  'strip-prefix': [whole('hermes', bash('{"command":"ls"}').replace('bash', 'functions.bash'))],
  'trim-name': [whole('hermes', bash('{"command":"ls"}').replace('bash', 'bash\\n'))],
  'read-call-id': [
    [
      'kimi-k2',
      '<|tool_calls_section_begin|><|tool_call_begin|> functions_bash_0<|tool_call_argument_begin|>{"command":"ls"}<|tool_call_end|><|tool_calls_section_end|>',
      'functions_bash_0',
    ],
  ],
  'fold-name': [whole('hermes', bash('{"command":"ls"}').replace('bash', 'Bash'))],
  'infer-tool': [
    whole(
      'kimi-k2',
      '<|tool_calls_section_begin|><|tool_call_begin|>call_abc123<|tool_call_argument_begin|>{"pattern":"x"}<|tool_call_end|><|tool_calls_section_end|>',
    ),
  ],
  'no-arguments': [whole('hermes', '<tool_call>{"name":"git_status"}</tool_call>')],
  'retype-scalar': [whole('hermes', bash('{"command":"ls","timeout":"5"}'))],
  'parse-nested': [
    whole('hermes', '<tool_call>{"name":"grep","arguments":{"pattern":"x","include":"[\\"a\\"]"}}</tool_call>'),
  ],
  'extract-arguments': [whole('hermes', bash(JSON.stringify('```json\n{"command":"ls"}\n```')))],
  'value-as-text': [whole('hermes', bash('{"command":{"a":1}}'))],
  'call-as-text': [['pythonic-llama', '[bash(command=sqrt(2, "(")), git_status()]', 'sqrt(2, "(")']],
  'drop-null': [whole('hermes', bash('{"command":"ls","timeout":null}'))],
  'drop-undeclared': [['cline-flat-xml', '<bash>\n<command>ls</command>\n<cwd>/x</cwd>\n</bash>', '/x</cwd>']],
  'wrap-in-array': [
    whole('hermes', '<tool_call>{"name":"grep","arguments":{"pattern":"x","include":"a"}}</tool_call>'),
  ],
  'match-enum': [whole('hermes', '<tool_call>{"name":"grep","arguments":{"pattern":"x","mode":"Lines"}}</tool_call>')],
  'unwrap-array': [whole('hermes', bash('[{"command":"ls"}]'))],
  'sole-parameter': [whole('hermes', bash('"ls"'))],
  'positional-arguments': [missing('pythonic-lfm2', '<|tool_call_start|>[bash(', '"ls")]<|tool_call_end|>')],
  'collect-repeated': [
    whole(
      'qwen3-coder-xml',
      '<tool_call>\n<function=grep>\n<parameter=pattern>\nx\n</parameter>\n<parameter=include>\na\n</parameter>\n<parameter=include>\nb\n</parameter>\n</function>\n</tool_call>',
    ),
  ],
  'foreign-dialect': [
    [
      'qwen3-coder-xml',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command":"ls"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      '<｜tool▁calls▁begin｜>',
    ],
  ],
};

/** Repairs of native fragments that are about no place in their text. */
const ofFragments = new Set<Rule>(['split-calls', 'renumber-calls', 'stringify-arguments']);

const before = 'Où? 🙂\n';

/** Dialects that are heard at the answer's start only where their markers are gone. */
const atStart = new Set<Rule>(['restore-markers', 'end-reasoning', 'promote-reasoning']);

function read(events: readonly UpstreamEvent[], dialect: string): Finding[] {
  const stage = parseCalls({
    tools,
    dialect,
    strategyUsed: 'prompt',
    holdBytes: null,
    toolChoice: 'auto',
    parallel: true,
    promoteReasoningCalls: true,
  });
  return fold(runSync(stage, events).out).choices[0]?.notes ?? [];
}

function readText(modelText: string, dialect: string, size: number): Finding[] {
  const events: UpstreamEvent[] = [];
  for (let at = 0; at < modelText.length; at += size)
    events.push({ type: 'text-delta', choice: 0, text: modelText.slice(at, at + size) });
  return read([...events, { type: 'turn-end', choice: 0, reason: 'stop' }], dialect);
}

function rangeOf(modelText: string, place: Place, from: number): readonly [number, number] {
  if (typeof place === 'object' && 'behind' in place) {
    const at = from + place.behind.length;
    return [at, at + place.part.length];
  }
  const part = typeof place === 'string' ? place : place.call;
  expect(modelText.split(part)).toHaveLength(2);
  const at = modelText.indexOf(part);
  return [at, at + part.length];
}

describe('D-29 every repair says where in the raw text it was needed', () => {
  it('every rule is in the table', () => {
    const covered = [...Object.keys(inText), ...ofFragments];
    expect(Object.keys(rules).filter((rule) => !covered.includes(rule))).toEqual([]);
  });

  for (const [rule, cases] of Object.entries(inText) as [Rule, readonly Case[]][])
    for (const [dialect, modelText, place] of cases)
      it(`${rule}: ${JSON.stringify(modelText)}`, () => {
        const lead = atStart.has(rule) ? '' : before;
        for (const size of [Number.MAX_SAFE_INTEGER, 1, 3, 7]) {
          const found = readText(lead + modelText, dialect, size).filter((note) => note.rule === rule);
          expect(
            found.map((note) => note.range),
            `in pieces of ${size}`,
          ).toEqual([rangeOf(lead + modelText, place, lead.length)]);
        }
      });
});

/** By rule: a native call's argument text, and what of it is to be marked. */
const inArguments: readonly (readonly [rule: Rule, args: string, place: Exclude<Place, { readonly call: string }>])[] =
  [
    ['drop-commas', ' \n{"command":"é🙂" ,}', ','],
    ['double-quotes', '\n {\'command\':"ls"}', "'command'"],
    ['drop-closers', ' {"command":"ls"} }]', { behind: ' {"command":"ls"} ', part: '}]' }],
    ['add-closers', ' {"command":"ls"', { behind: ' {"command":"ls"', part: '' }],
    ['escape-inner-quotes', ' {"command":"say "hi" now"}', ' {"command":"say "hi" now"}'],
  ];

describe('D-29 a repair of a native call says where in its argument text it was needed', () => {
  for (const [rule, args, place] of inArguments)
    it(`${rule}: ${JSON.stringify(args)}`, () => {
      for (const size of [Number.MAX_SAFE_INTEGER, 1, 3]) {
        const events: UpstreamEvent[] = [{ type: 'call-fragment', choice: 0, index: 0, id: 'a', name: 'bash' }];
        for (let at = 0; at < args.length; at += size)
          events.push({ type: 'call-fragment', choice: 0, index: 0, arguments: args.slice(at, at + size) });
        events.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
        const found = read(events, 'hermes').filter((note) => note.rule === rule);
        expect(
          found.map((note) => note.range),
          `in pieces of ${size}`,
        ).toEqual([rangeOf(args, place, 0)]);
      }
    });

  it('how the upstream numbered or parted its calls has no place in a text', () => {
    const fragment = (index: number, args: unknown): UpstreamEvent => ({
      type: 'call-fragment',
      choice: 0,
      index,
      id: `call-${index}`,
      name: 'bash',
      arguments: args,
    });
    const notes = read(
      [
        fragment(1, { command: 'ls' }),
        fragment(2, '{"command":"a"}{"command":"b"}'),
        { type: 'turn-end', choice: 0, reason: 'tool_calls' },
      ],
      'hermes',
    );
    expect(new Set(notes.map((note) => note.rule))).toEqual(ofFragments);
    expect(notes.filter((note) => note.range)).toEqual([]);
  });
});
