import { runSync } from '@callsmith/stream';
import { fold, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { type ParseCallsOptions, parseCalls, type UnusableAnswer } from './parse-calls.ts';

const tools = new ToolTable([
  {
    name: 'bash',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
]);
const call = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>';

const textOf = (
  modelText: string,
  size: number,
  type: 'text-delta' | 'reasoning-delta' = 'text-delta',
): UpstreamEvent[] =>
  Array.from({ length: Math.ceil(modelText.length / size) }, (_, at) => ({
    type,
    choice: 0,
    text: modelText.slice(at * size, (at + 1) * size),
  }));

function read(events: readonly UpstreamEvent[], more: Partial<ParseCallsOptions> = {}, reason = 'stop' as const) {
  const stage = parseCalls({
    tools,
    dialect: 'hermes',
    strategyUsed: 'prompt',
    holdBytes: 1024,
    toolChoice: 'auto',
    parallel: true,
    newCallId: () => 'id',
    ...more,
  });
  const { out } = runSync(stage, [...events, { type: 'turn-end', choice: 0, reason }]);
  const [choice] = fold(out).choices;
  return { ...choice, found: choice?.notes.map((note) => note.class) ?? [] };
}

/** As `read`, for an answer that may be asked for again; why it is to be. */
function kindOf(events: readonly UpstreamEvent[], more: Partial<ParseCallsOptions> = {}) {
  let answer: UnusableAnswer | undefined;
  read(events, { ...more, onUnusable: (unusable) => (answer = unusable) });
  return answer?.unusable.kind;
}

describe.each([1, 3, 7, 10_000])('D-45 in pieces of %s', (size) => {
  const promotes = { promoteReasoningCalls: true };

  it.each([
    ['at its end', `<think>I look.\n${call}\n</think>\n\n`],
    ['with words behind it', `<think>${call}\nThat is what I would do.</think>`],
    ['in one of several blocks', `<think>${call}</think>\n<think>So.</think>`],
  ])('an answer of which only the reasoning holds a call, %s, has none and says why', (_, modelText) => {
    expect(read(textOf(modelText, size))).toMatchObject({ calls: [], text: '', found: ['CallInReasoning'] });
    expect(kindOf(textOf(modelText, size))).toBe('call-in-reasoning');
  });

  it('the same of reasoning that came in a field of its own, with words behind the call', () => {
    const events = textOf(`I look.\n${call}\nAnd done.`, size, 'reasoning-delta');
    expect(read(events)).toMatchObject({ calls: [], found: ['CallInReasoning'] });
    expect(kindOf(events)).toBe('call-in-reasoning');
  });

  it('beside text or a call of the answer itself, a call in reasoning says nothing', () => {
    for (const modelText of [`<think>${call}</think>Hello.`, `<think>${call}</think>${call}`]) {
      expect(read(textOf(modelText, size)).found).toEqual([]);
      expect(kindOf(textOf(modelText, size))).toBeUndefined();
    }
  });

  it('a tool that is not on offer, a broken call and the mere mention of a marker are no call in reasoning', () => {
    const inside = [
      call.replace('bash', 'other'),
      '<tool_call>{"name": "bash", "argu',
      'The tag `<tool_call>` is used.',
    ];
    for (const reasoning of inside) expect(kindOf(textOf(`<think>${reasoning}</think>`, size))).toBe('empty');
  });

  it('where it is set, a whole and valid call at the end of closed reasoning is the answer', () => {
    const modelText = `<think>I look.\n${call}\n</think>\n`;
    const answer = read(textOf(modelText, size), promotes);
    expect(answer).toMatchObject({ calls: [{ name: 'bash', arguments: '{"command": "ls"}' }], reason: 'tool_calls' });
    expect(answer.notes).toMatchObject([{ class: 'CallInReasoning', rule: 'promote-reasoning', action: 'repaired' }]);
    expect(kindOf(textOf(modelText, size), promotes)).toBeUndefined();
  });

  it.each([
    ['with words behind it', `<think>${call} That would do.</think>`],
    ['that is not valid', `<think>${call.replace('command', 'comand')}</think>`],
    ['that needs repair', `<think>${call.replace('"ls"', "'ls'")}</think>`],
    ['that nothing marks', '<think>Action: bash\nAction Input: {"command": "ls"}</think>'],
    [
      'of which the marker is followed by neither a bracket nor a tag',
      '<think>[TOOL_CALLS]bash{"command": "ls"}</think>',
    ],
  ])('even then a call %s is none', (_, modelText) => {
    expect(read(textOf(modelText, size), { ...promotes, dialect: 'auto' }).calls).toEqual([]);
  });

  it('even then text behind the reasoning is the answer', () => {
    expect(read(textOf(`<think>${call}</think>Hello.`, size), promotes)).toMatchObject({ calls: [], text: 'Hello.' });
  });

  it('even then reasoning that the limit cut is no answer', () => {
    const events = textOf(`<think>${call}</think>`, size);
    expect(read(events, promotes, 'length' as never).calls).toEqual([]);
  });
});

describe('an announced call', () => {
  const behind = { behindResult: true };
  const nudged = { ...behind, nudgesAnnounced: true };
  const announcement = 'Now I will list the files:';

  it.each([announcement, '现在我列出文件：', `${'x'.repeat(110)}:`, `${announcement}\n`])(
    'is noted behind a result: %j',
    (text) => {
      for (const size of [1, 5, 1000]) {
        expect(read(textOf(text, size), behind).found).toEqual(['AnnouncedNotCalled']);
        expect(kindOf(textOf(text, size), behind)).toBeUndefined();
        expect(kindOf(textOf(text, size), nudged)).toBe('announced');
      }
    },
  );

  it.each(['I listed the files.', 'Shall I go on? Choose:', 'どれですか？次から:', `${'x'.repeat(120)}:`, ''])(
    'is not what %j says',
    (text) => {
      for (const size of [1, 5, 1000]) {
        expect(read(textOf(text, size), behind).found).toEqual([]);
        expect(kindOf(textOf(text, size), nudged)).not.toBe('announced');
      }
    },
  );

  it('is none where the request does not end with a result, where a call came, or where the limit cut the answer', () => {
    expect(read(textOf(announcement, 5), { nudgesAnnounced: true }).found).toEqual([]);
    expect(kindOf(textOf(announcement, 5), { nudgesAnnounced: true })).toBeUndefined();
    expect(read(textOf(`${announcement}\n${call}`, 5), nudged).found).toEqual([]);
    expect(read(textOf(announcement, 5), nudged, 'length' as never).found).toEqual([]);
  });
});
