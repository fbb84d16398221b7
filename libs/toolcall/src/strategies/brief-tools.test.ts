import type { Message, PastCall, Tool, ToolChoice, Turn } from '@callsmith/turn';
import { ToolTable } from '@callsmith/turn';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dialects } from '../dialects/index.ts';
import { runSteps } from '../steps.ts';
import { briefToolsInSteps } from './brief-tools.ts';
import { preparePrompt } from './prompt.ts';

const tool = (name: string, description: string, ...parameters: string[]): Tool => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((key) => [key, { type: 'string', description: `The ${key} of it.` }]),
    ),
    required: parameters,
  },
});
const list = [
  tool('getWeather', 'Tells the weather. It knows every city of the world.', 'city', 'unit'),
  tool('create_issue', 'Creates an issue in a repository. Titles are short.', 'title', 'body'),
  tool('send_mail', 'Sends a mail! To whom is said by its address.', 'recipient', 'subject'),
  tool('query_database', 'Runs a query\nand more on the next line', 'sql'),
  ...Array.from({ length: 30 }, (_, n) => tool(`other_${n}`, `Does the thing of number ${n}. And no more.`, 'input')),
];
const user = (content: string): Message => ({ role: 'user', content });
const calls = (...names: string[]): Message => ({
  role: 'assistant',
  content: null,
  calls: names.map((name): PastCall => ({ id: name, name, arguments: '{}' })),
});
const turnOf = (messages: readonly Message[], toolChoice: ToolChoice = 'auto', tools = list): Turn => ({
  model: 'm',
  messages,
  tools: new ToolTable(tools),
  toolChoice,
  parallel: true,
  stream: false,
  includeUsage: false,
  n: 1,
  sampling: {},
});
const briefOf = (turn: Turn, pinned: readonly string[] = [], above = 10) =>
  runSteps(briefToolsInSteps(turn, { above, pinned }));
const whole = (turn: Turn, pinned: readonly string[] = []): string[] =>
  (briefOf(turn, pinned)?.tools ?? turn.tools).list.filter(({ brief }) => !brief).map(({ name }) => name);

it('up to the threshold all tools are whole', () => {
  expect(briefOf(turnOf([user('hi')]), [], list.length)).toBeUndefined();
  expect(briefOf(turnOf([user('hi')]), [], list.length - 1)).toBeDefined();
});

it('the others have their name and their first sentence', () => {
  const briefTool = (name: string) => briefOf(turnOf([user('')]))?.tools.get(name);
  expect(briefTool('getWeather')).toMatchObject({ description: 'Tells the weather.', brief: true });
  expect(briefTool('send_mail')?.description).toBe('Sends a mail!');
  expect(briefTool('query_database')?.description).toBe('Runs a query');
});

it('whole are tools that were called, are pinned, or are named by tool_choice or by the user', () => {
  expect(whole(turnOf([calls('other_3')]))).toEqual(['other_3']);
  expect(whole(turnOf([]), ['other_9', 'not there'])).toEqual(['other_9']);
  expect(whole(turnOf([], { name: 'send_mail' }))).toEqual(['send_mail']);
  for (const text of ['`GETWEATHER`?', 'try getWeather.', '(getWeather)', `${'x '.repeat(50_000)} getWeather`])
    expect(whole(turnOf([user(text)]))).toContain('getWeather');
});

it('whole are those that fit best what the user says, at most eight a message', () => {
  expect(whole(turnOf([user('What is the weather in Rome?')]))[0]).toBe('getWeather');
  expect(whole(turnOf([user('please open two new issues for this repository')]))[0]).toBe('create_issue');
  expect(whole(turnOf([user('write to that address with this subject')]))).toContain('send_mail');
  expect(whole(turnOf([user('do the thing of number')])).length).toBe(8);
  expect(whole(turnOf([user('xyzzy')]))).toEqual([]);
});

it('a tool whose schema the client wants enforced stays whole, and so does one that would not get shorter', () => {
  const tools = [
    ...list,
    { ...tool('closed', 'Is closed. Yes.', 'a'), strict: true },
    { name: 'now' },
    tool('then', 'Takes nothing. At all.'),
  ];
  expect(whole(turnOf([user('')], 'auto', tools))).toEqual(['closed', 'now', 'then']);
});

it('no name is ever hidden, the order stays, and what was whole stays whole as the conversation grows', () => {
  const words = fc.array(fc.constantFrom('weather', 'issue', 'mail', 'other_7', 'number', 'the', 'sql', 'city'));
  const message = fc.oneof(
    words.map((parts) => user(parts.join(' '))),
    fc.constantFrom(...list).map(({ name }) => calls(name)),
    words.map((parts): Message => ({ role: 'assistant', content: parts.join(' '), calls: [] })),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      let before: readonly string[] = [];
      for (let length = 0; length <= messages.length; length += 1) {
        const turn = turnOf(messages.slice(0, length));
        expect(briefOf(turn)?.tools.list.map(({ name }) => name)).toEqual(list.map(({ name }) => name));
        const now = whole(turn);
        expect(now).toEqual(expect.arrayContaining([...before]));
        before = now;
      }
    }),
    { numRuns: 50 },
  );
});

it('between two messages of the user the prompt of the tools changes by nothing but a first call of a tool', () => {
  const turnWith = (...more: Message[]): Turn => turnOf([user('weather?'), ...more]);
  const result: Message = { role: 'tool', callId: 'getWeather', content: 'an issue: the database has no mail' };
  const later = turnWith(calls('getWeather'), result, {
    role: 'assistant',
    content: 'a query of the issue',
    calls: [],
  });
  expect(briefOf(later)).toEqual(briefOf(turnWith()));
});

it('every dialect shows a brief tool without parameters, and says that they may be told', () => {
  for (const dialect of dialects) {
    const turn = turnOf([user('weather?')]);
    const { tools } = briefOf(turn) ?? { tools: turn.tools };
    const [system] = preparePrompt({ ...turn, tools }, dialect).messages;
    const prompt = String(system?.content);
    expect(prompt).toContain('{"name":"send_mail","description":"Sends a mail!"}');
    expect(prompt).toContain(
      '"name":"getWeather","description":"Tells the weather. It knows every city of the world."',
    );
    expect(prompt).toContain('you are told its parameters');
    for (const { name } of list) expect(prompt).toContain(`"name":"${name}"`);
    const allWhole = String(preparePrompt(turn, dialect).messages[0]?.content);
    expect(allWhole).not.toContain('you are told its parameters');
    expect(prompt.length).toBeLessThan(allWhole.length);
  }
});
