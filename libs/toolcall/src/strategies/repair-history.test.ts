import { cpuMs } from '@callsmith/testing';
import { Fault, type Message, ToolTable, type Turn } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { type RepairHistoryOptions, repairHistory, repairHistoryInSteps } from './repair-history.ts';

const turn = (messages: Message[], tools: string[] = ['read_file', 'bash']): Turn => ({
  model: 'm',
  messages,
  tools: new ToolTable(tools.map((name) => ({ name }))),
  toolChoice: 'auto',
  parallel: true,
  stream: true,
  includeUsage: false,
  n: 1,
  sampling: {},
});
const user = (content: string): Message => ({ role: 'user', content });
const asks = (...calls: [id: string, name?: string, args?: string][]): Message => ({
  role: 'assistant',
  content: null,
  calls: calls.map(([id, name = 'read_file', args = '{"path":"a"}']) => ({ id, name, arguments: args })),
});
const result = (callId: string, content = `result of ${callId}`): Message => ({ role: 'tool', callId, content });
const repaired = (messages: Message[], mending?: RepairHistoryOptions) => repairHistory(turn(messages), mending);
const faultOf = (messages: Message[], mending?: RepairHistoryOptions): Fault => {
  try {
    repaired(messages, mending);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('nothing was refused');
};

describe('what is whole', () => {
  it.each<[string, Message[]]>([
    ['no tools at all', [user('hi'), { role: 'assistant', content: 'hello', calls: [] }]],
    [
      'FR-009, FR-020: several rounds, several results',
      [user('hi'), asks(['a'], ['b', 'bash', '{}']), result('a'), result('b'), asks(['c']), result('c'), user('go on')],
    ],
    ['E-5: a result that is an error', [asks(['a']), result('a', 'ENOENT: no such file')]],
    ['the same id again in a later turn', [asks(['a']), result('a'), asks(['a']), result('a', 'second')]],
    ['a tool that is no longer on offer', [asks(['a', 'invalid']), result('a')]],
  ])('stays the very same turn: %s', (_, messages) => {
    const whole = turn(messages);
    expect(repairHistory(whole)).toEqual({ turn: whole, notes: [] });
    expect(repairHistory(whole, { strictHistory: true }).turn).toBe(whole);
  });

  it('M-2: argument bytes are kept', () => {
    const args = '{ "a" : 1e400, "b":12345678901234567890, "a":2 }';
    expect(repaired([asks(['a', 'bash', args]), result('a')]).turn.messages[0]).toMatchObject({
      calls: [{ arguments: args }],
    });
  });
});

describe('mended, D-16', () => {
  it('E-8: results in another order are put in call order', () => {
    const { turn: whole, notes } = repaired([asks(['a'], ['b']), result('b'), result('a'), user('go on')]);
    expect(whole.messages.slice(1)).toEqual([result('a'), result('b'), user('go on')]);
    expect(notes).toEqual([
      { stage: 'request', action: 'mended', detail: 'messages[2]: the result of a was put in call order' },
    ]);
  });

  it('E-8: a result that comes after a user message goes back to its call', () => {
    const { turn: whole, notes } = repaired([asks(['a'], ['b']), result('a'), user('wait'), result('b')]);
    expect(whole.messages.slice(1)).toEqual([result('a'), result('b'), user('wait')]);
    expect(notes).toHaveLength(1);
  });

  it('D-17: a call without a result is shown as "no result"', () => {
    expect(repaired([asks(['a'], ['b']), result('b'), user('go on')]).turn.messages).toEqual([
      asks(['a'], ['b']),
      { role: 'tool', callId: 'a', content: 'no result' },
      result('b'),
      user('go on'),
    ]);
    expect(repaired([user('hi'), asks(['a'])]).turn.messages.at(-1)).toEqual({
      role: 'tool',
      callId: 'a',
      content: 'no result',
    });
  });

  it('E-2: malformed past arguments become an object', () => {
    const args = (text: string): unknown =>
      (
        repaired([asks(['a', 'bash', text]), result('a')]).turn.messages[0] as unknown as {
          calls: { arguments: string }[];
        }
      ).calls.map((call) => call.arguments);
    expect(args('')).toEqual(['{}']);
    expect(args('null')).toEqual(['{}']);
    expect(args('{"path":"cut of')).toEqual(['{"input":"{\\"path\\":\\"cut of"}']);
    expect(args('ls -la')).toEqual(['{"input":"ls -la"}']);
    expect(args('[1]')).toEqual(['{"input":"[1]"}']);
    expect(args('"{\\"a\\":1}"')).toEqual(['{"a":1}']);
  });

  it('glued calls are parted, the result stays with the first', () => {
    const { turn: whole } = repaired([asks(['a', 'read_filebash', '{"path":"}{"}{"command":"ls"}']), result('a')]);
    expect(whole.messages).toEqual([
      {
        role: 'assistant',
        content: null,
        calls: [
          { id: 'a', name: 'read_file', arguments: '{"path":"}{"}' },
          { id: 'a_2', name: 'bash', arguments: '{"command":"ls"}' },
        ],
      },
      result('a'),
      { role: 'tool', callId: 'a_2', content: 'no result' },
    ]);
    const same = repaired([asks(['a', 'read_file', '{"path":"a"} {"path":"b"}']), result('a')]).turn
      .messages[0] as unknown as {
      calls: { name: string }[];
    };
    expect(same.calls.map((call) => call.name)).toEqual(['read_file', 'read_file']);
  });

  it('assistant messages in a row become one, unless an unanswered call stands between', () => {
    const text: Message = { role: 'assistant', content: 'Let me look.', calls: [] };
    expect(repaired([text, asks(['a']), result('a')]).turn.messages).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        calls: [{ id: 'a', name: 'read_file', arguments: '{"path":"a"}' }],
      },
      result('a'),
    ]);
    expect(repaired([asks(['a']), asks(['b']), result('a'), result('b')]).turn.messages).toHaveLength(3);
    expect(repaired([asks(['a']), text]).turn.messages).toHaveLength(3);
  });

  it('a second result of the same call is kept beside the first', () => {
    expect(repaired([asks(['a']), result('a', 'one'), result('a', 'two')]).turn.messages[1]).toMatchObject({
      content: 'one\n\ntwo',
    });
  });

  it('reasoning of joined messages is kept', () => {
    const first: Message = { role: 'assistant', content: 'x', reasoning: 'one', calls: [] };
    expect(repaired([first, { ...first, reasoning: 'two' }]).turn.messages[0]).toMatchObject({
      reasoning: 'one\n\ntwo',
    });
  });
});

describe('Cline’s "result missing"', () => {
  const missing = (id: string): Message => result(id, 'result missing');

  it('takes the result from a text of the next user message', () => {
    const { turn: whole, notes } = repaired([
      asks(['a']),
      missing('a'),
      user("[read_file for 'a.txt'] Result:\none\ntwo"),
    ]);
    expect(whole.messages).toEqual([asks(['a']), result('a', 'one\ntwo')]);
    expect(notes).toHaveLength(1);
  });

  it('takes results from parts, by name and in order, and leaves the rest', () => {
    const parts: Message = {
      role: 'user',
      content: [
        { type: 'text', text: "[read_file for 'a.txt'] Result:\nAAA" },
        { type: 'text', text: "[bash for 'ls'] Result:" },
        { type: 'text', text: 'LLL' },
        { type: 'text', text: "[read_file for 'b.txt'] Result:\nBBB" },
        { type: 'text', text: '<environment_details>\n# Time\n</environment_details>' },
        { type: 'image_url', image_url: { url: 'data:,' } },
      ],
    };
    const { turn: whole } = repaired([
      asks(['a'], ['b', 'bash'], ['c']),
      missing('a'),
      missing('b'),
      missing('c'),
      parts,
    ]);
    expect(whole.messages.slice(1)).toEqual([
      result('a', 'AAA'),
      result('b', 'LLL'),
      result('c', 'BBB'),
      {
        role: 'user',
        content: [
          { type: 'text', text: '<environment_details>\n# Time\n</environment_details>' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
    ]);
  });

  it('a message behind one that was joined away keeps its place in what is said about it', () => {
    const messages = [
      user('hi'),
      asks(['a']),
      missing('a'),
      user("[read_file for 'a.txt'] Result:\none"),
      asks(['b']),
      result('c'),
    ];
    expect(faultOf(messages).param).toBe('messages[5].tool_call_id');
    const late = faultOf([...messages.slice(0, 5), result('d'), asks(['d']), result('d')]);
    expect([late.param, late.message]).toEqual(['messages[5]', expect.stringContaining('comes later, in messages[6]')]);
    const { notes } = repaired([...messages.slice(0, 5), user('no'), result('b')]);
    expect(notes.at(-1)?.detail).toContain('messages[6]');
  });

  it('finds results in linear time, however many headings a message holds', () => {
    const calls = Array.from({ length: 5000 }, (_, at): [string, string] => [`a${at}`, 'bash']);
    const headings = `${'[read_file] Result:\nno\n'.repeat(150_000)}[bash] Result:\nyes`;
    const started = cpuMs();
    const { turn: whole } = repaired([asks(...calls), ...calls.map(([id]) => missing(id)), user(headings)]);
    expect(whole.messages[1]).toEqual(result('a0', 'yes'));
    expect(cpuMs() - started).toBeLessThan(3_000);
  });

  it('SC-008 finds the names of calls in linear time, however many stand before', () => {
    const ids = Array.from({ length: 60_000 }, (_, at) => `a${at}`);
    const last = ids.slice(-9_000);
    const headings = last.map(() => '[read_file for a] Result:\nfound').join('\n');
    const calls = asks(...ids.map((id): [string] => [id]));
    const started = cpuMs();
    const { turn: whole } = repaired([calls, ...last.map(missing), user(headings)]);
    expect(cpuMs() - started).toBeLessThan(1_500);
    expect(whole.messages.at(-1)).toEqual(result('a59999', 'found'));
  });

  it('leaves a result that no call lacks as the client sent it', () => {
    const other = "[bash for 'ls -l'] Result: LLL\n\nsee above\n\n";
    const { turn: whole } = repaired([
      asks(['a']),
      missing('a'),
      user(`[read_file for 'a.txt'] Result:\nAAA\n${other}[bash] Result:\nmore`),
    ]);
    expect(whole.messages[2]).toEqual(user(`${other}[bash] Result:\nmore`));
    const parts = [
      { type: 'text', text: "[bash for 'ls'] Result:", cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'LLL\n\n' },
      { type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } },
    ];
    const used = { type: 'text', text: "[read_file for 'a.txt'] Result:\nAAA" };
    const inParts = repaired([asks(['a']), missing('a'), { role: 'user', content: [...parts, used] }]);
    expect(inParts.turn.messages[2]).toEqual({ role: 'user', content: parts });
  });

  it('keeps "result missing" where nothing tells the result', () => {
    expect(repaired([asks(['a']), missing('a'), user('hello')]).turn.messages[1]).toEqual(missing('a'));
    expect(repaired([asks(['a']), missing('a'), user("[bash for 'x'] Result:\nno")]).turn.messages[1]).toEqual(
      missing('a'),
    );
  });
});

describe('refused, R-5', () => {
  it('shows no more of a long id than tells it from others', () => {
    const long = 'a'.repeat(100_000);
    expect(faultOf([user('hi'), asks([long]), result('call_9')]).message.length).toBeLessThan(300);
    expect(faultOf([user('hi'), asks(['call_1']), result(long)]).message.length).toBeLessThan(300);
    expect(faultOf([user('hi'), result(long)]).message.length).toBeLessThan(300);
  });

  it('E-1, D-17: a foreign id is never guessed, even if one call is open', () => {
    const fault = faultOf([user('hi'), asks(['call_1']), result('call_9')]);
    expect(fault).toMatchObject({
      code: 'invalid_tool_call_id',
      type: 'invalid_tool_call_id',
      status: 400,
      param: 'messages[2].tool_call_id',
    });
    expect(fault.message).toContain('"call_9"');
    expect(fault.message).toContain('"call_1"');
  });

  it('R-5 a result without any call before it is in the wrong order', () => {
    const fault = faultOf([user('hi'), result('x')]);
    expect(fault).toMatchObject({ code: 'invalid_message_order', type: 'invalid_message_order', status: 400 });
    expect(fault.message).toContain('no call before it');
    expect(faultOf([result('x'), asks(['a']), result('a')]).code).toBe('invalid_message_order');
  });

  it('a result before its call', () => {
    const fault = faultOf([user('hi'), result('a'), asks(['a'])]);
    expect(fault).toMatchObject({
      code: 'invalid_message_order',
      type: 'invalid_message_order',
      status: 400,
      param: 'messages[1]',
    });
    expect(fault.message).toContain('messages[2]');
  });

  it('names the place in the client’s own terms', () => {
    expect(faultOf([result('x')], { messagePath: (at) => `input[${at + 3}]` }).param).toBe('input[3].tool_call_id');
    expect(
      faultOf([asks(['a']), result('x')], { messagePath: (at) => `input[${at}]`, callIdName: 'call_id' }),
    ).toMatchObject({
      param: 'input[1].call_id',
      message: expect.stringContaining('input[1].call_id: "x"'),
    });
  });

  it.each<[string, Message[]]>([
    ['a missing result', [asks(['a']), user('go on')]],
    ['results out of order', [asks(['a'], ['b']), result('b'), result('a')]],
    ['malformed arguments', [asks(['a', 'bash', 'ls']), result('a')]],
    ['assistant messages in a row', [{ role: 'assistant', content: 'a', calls: [] }, asks(['a']), result('a')]],
  ])('strictHistory refuses instead of mending: %s', (_, messages) => {
    expect(faultOf(messages, { strictHistory: true })).toMatchObject({ code: 'invalid_message_order', status: 400 });
  });
});

it('two calls of one id in one turn get their results in order, and later turns may use it again', () => {
  const messages = [
    asks(['a', 'read_file', '{"path":"1"}'], ['a', 'read_file', '{"path":"2"}']),
    result('a', 'first'),
    result('a', 'second'),
    asks(['a', 'read_file', '{"path":"3"}']),
    result('a', 'third'),
  ];
  expect(repaired(messages)).toEqual({ turn: turn(messages), notes: [] });
});

it.each([
  ['every result is for the first call', () => Array.from({ length: 30_000 }, () => result('a0'))],
  ['every result is for the last call', () => Array.from({ length: 30_000 }, () => result('a29999'))],
  ['a result for each', () => Array.from({ length: 30_000 }, (_, at) => result(`a${at}`))],
  ['all calls have one id', () => Array.from({ length: 30_000 }, () => result('a'))],
])('SC-008 a turn of thirty thousand calls is mended in linear time: %s', (_, results) => {
  const given = results();
  const one = given.every((message) => message.role === 'tool' && message.callId === 'a');
  const calls = Array.from({ length: 30_000 }, (_, at): [string] => [one ? 'a' : `a${at}`]);
  const started = cpuMs();
  const { turn: whole } = repaired([asks(...calls), ...given]);
  expect(whole.messages).toHaveLength(30_001);
  expect(cpuMs() - started).toBeLessThan(3_000);
});

it('SC-008 ten thousand assistant messages in a row are joined in linear time', () => {
  const message: Message = { role: 'assistant', content: 'x'.repeat(500), reasoning: 'y'.repeat(500), calls: [] };
  const started = cpuMs();
  const { turn: whole } = repaired(Array.from({ length: 10_000 }, () => message));
  expect(cpuMs() - started).toBeLessThan(2_000);
  expect(whole.messages).toHaveLength(1);
  expect(whole.messages[0]).toMatchObject({ reasoning: Array(10_000).fill('y'.repeat(500)).join('\n\n') });
});

it('SC-008, E-4: a thousand rounds are mended in linear time', () => {
  const rounds = Array.from({ length: 3000 }, (_, round) => [
    asks([`a${round}`], [`b${round}`]),
    result(`b${round}`),
    result(`a${round}`),
  ]).flat();
  const started = cpuMs();
  repaired(rounds);
  expect(cpuMs() - started).toBeLessThan(1_000);
});

describe('D-39: what past calls hold is bounded', () => {
  const dense = (count: number): string => `{"a":[${'1,'.repeat(count)}1]}`;

  it('arguments of more than 100,000 members are refused before they are parsed, and named', () => {
    const fault = faultOf([user('hi'), asks(['a']), result('a'), asks(['b', 'bash', dense(12_000_000)])]);
    expect([fault.code, fault.param]).toEqual(['invalid_body', 'messages[3].tool_calls[0].function.arguments']);
    expect(fault.message).toContain('more than 100,000');
  });

  it('they count together, whatever a text among them leaves open', () => {
    const many = (first: string): Message[] => [
      asks(['x', 'bash', first]),
      ...Array.from({ length: 12 }, (_, at) => asks([`a${at}`, 'bash', dense(10_000)])),
    ];
    for (const first of ['{}', '{"a":"', '{"a":"\\', '"']) expect(faultOf(many(first)).code).toBe('invalid_body');
  });

  it('a long file is no member, nor are commas in it', () => {
    const file = JSON.stringify({ path: 'a', content: '1,2,"x",[{'.repeat(500_000) });
    expect(repaired([user('hi'), asks(['a', 'bash', file]), result('a')]).notes).toEqual([]);
  });

  it('more objects than a response may have calls are not parted', () => {
    const started = cpuMs();
    const { turn: whole } = repaired([user('hi'), asks(['a', 'bash', '{}'.repeat(5_000_000)]), result('a')]);
    expect(cpuMs() - started).toBeLessThan(1_500);
    expect(whole.messages).toHaveLength(3);
    expect(repaired([user('hi'), asks(['a', 'bash', '{}'.repeat(1000)])]).turn.messages).toHaveLength(1002);
  });

  it('a user message of millions of lines behind a missing result is not searched', () => {
    const started = cpuMs();
    const messages = [user('hi'), asks(['a']), result('a', 'result missing'), user('\n'.repeat(20_000_000))];
    expect(repaired(messages).turn.messages).toEqual(messages);
    expect(cpuMs() - started).toBeLessThan(500);
  });
});

describe('D-39: others have their turn while a long history is repaired', () => {
  const stepsOf = (messages: Message[]): number => [...repairHistoryInSteps(turn(messages))].length;

  it('of many calls in one message', () => {
    const calls = Array.from({ length: 16_000 }, (_, at): [string, string, string] => [`c${at}`, 'bash', '{']);
    expect(stepsOf([user('hi'), asks(...calls)])).toBeGreaterThanOrEqual(60);
  });

  it('of calls with long arguments', () => {
    const file = JSON.stringify({ path: 'a', content: 'word '.repeat(3_000_000) });
    expect(stepsOf([user('hi'), asks(['a', 'bash', file])])).toBeGreaterThanOrEqual(15);
    const glued = Array.from({ length: 15 }, (_, at): [string, string, string] => [
      `c${at}`,
      'bash',
      '{} '.repeat(40_000),
    ]);
    expect(stepsOf([user('hi'), asks(...glued)])).toBeGreaterThanOrEqual(15);
  });

  it('a usual one takes one step', () => {
    expect(stepsOf([user('hi'), asks(['a'], ['b', 'bash', '{}']), result('a'), result('b')])).toBe(0);
  });

  it('of very many repairs only the first thousand are told one by one', () => {
    const calls = Array.from({ length: 3000 }, (_, at): [string, string, string] => [`c${at}`, 'bash', '{']);
    const { turn: whole, notes } = repaired([user('hi'), asks(...calls), ...calls.map(([id]) => result(id))]);
    expect(whole.messages).toHaveLength(3002);
    expect([notes.length, notes.at(-1)?.detail]).toEqual([1001, '2000 more repairs of the history']);
  });
});
