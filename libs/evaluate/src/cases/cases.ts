import type { JsonObject } from '@callsmith/turn';
import type { Nonces } from './nonces.ts';
import type { Expectation, ExpectedCall, ProbeCase } from './probe-case.ts';
import { lookAlikes, neighbours, sevenTools } from './tools.ts';

/** The twenty cases, in the order in which they are asked. */
export function probeCases(nonces: Nonces): readonly ProbeCase[] {
  return [
    one(1, 'One call', { streamed: true }, () => {
      const city = nonces.name();
      return ask(`What is the weather in ${city}? Use celsius.`, calls(weather(city)));
    }),
    one(2, 'A call without arguments', {}, () => ask('What time is it now?', calls({ name: 'now', arguments: {} }))),
    one(3, 'One of five look-alikes', {}, () => {
      const query = nonces.word();
      return ask(`Search the issues for "${query}".`, calls({ name: 'search_issues', arguments: { query } }), {
        tools: lookAlikes,
      });
    }),
    one(4, 'Three calls at once', { streamed: true }, () => {
      const cities = [nonces.name(), nonces.name(), nonces.name()];
      return ask(
        `What is the weather in ${cities[0]}, ${cities[1]} and ${cities[2]}? Use celsius. Call the tool three times in this one answer, once for each city.`,
        calls(...cities.map(weather)),
      );
    }),
    one(5, 'Nested arguments', {}, () => {
      const customer = { name: `${nonces.name()} ${nonces.name()}`, address: { zip: `0${nonces.number(1000, 9999)}` } };
      const item = () => ({ sku: nonces.word(), qty: nonces.number(2, 9), price: nonces.number(10, 90) + 0.5 });
      const order = { customer, items: [item(), item()], note: `ring at ${nonces.name()}` };
      return ask(listed('Place this order', order), calls({ name: 'order', arguments: order }));
    }),
    one(6, 'Numbers, booleans and null', {}, () => {
      const search = { query: nonces.word(), limit: nonces.number(3, 40), regex: false, folder: null };
      return ask(listed('Search the project', search), calls({ name: 'search', arguments: search }));
    }),
    one(7, 'Nothing invented', {}, () => {
      const query = nonces.word();
      return ask(
        `Search the project for "${query}", everywhere and for all hits.`,
        calls({ name: 'search', arguments: { query } }),
      );
    }),
    one(8, 'Thirty lines with quotes, tabs and fences', { streamed: true }, () =>
      writing(nonces, hardLines(nonces), 2_000),
    ),
    one(9, 'Emoji, right-to-left text, a path with spaces', {}, () =>
      writing(nonces, `🔧 ${nonces.name()} – שלום עולם – مرحبا ${nonces.word()} 👩‍👩‍👧 né\nend 𝒳`, 400, 'my notes é'),
    ),
    one(10, 'Six kilobytes', {}, () => writing(nonces, manyLines(nonces), 4_000)),
    one(11, 'Thanks', {}, () => ask('Thanks, that was all I wanted.', { kind: 'text', holds: [] })),
    one(12, 'An argument is missing', {}, () =>
      ask('What is the weather like there? I forgot to say where; ask me for the city instead of guessing.', {
        kind: 'text',
        holds: [],
        asks: true,
      }),
    ),
    one(13, 'No tool fits', {}, () =>
      ask(`Book a table for two at the restaurant ${nonces.name()} tonight.`, { kind: 'text', holds: [] }),
    ),
    one(14, 'A named tool', {}, () => {
      const path = `notes/${nonces.word()}.txt`;
      return ask(`Read the file ${path}.`, calls(read(path)), {
        tool_choice: { type: 'function', function: { name: 'read' } },
      });
    }),
    one(15, 'A call is required', {}, () =>
      ask(`Tell me about ${nonces.name()}.`, { kind: 'any-call' }, { tool_choice: 'required' }),
    ),
    one(16, 'A result is used', {}, () => {
      const [city, station] = [nonces.name(), nonces.word()];
      const said = `What is the weather in ${city}? Use celsius, and name the station.`;
      return ask(
        said,
        { kind: 'text', holds: [station] },
        {
          history: called(nonces, weather(city), `{"temperature": ${nonces.number(-9, 30)}, "station": "${station}"}`),
        },
      );
    }),
    one(17, 'A failed call is mended', {}, () => {
      const word = nonces.word();
      const wrong = read(`notes/${word}.txt`);
      return ask(`Read the file notes/${word}.txt.`, calls(read(`notes/${word}.md`)), {
        history: called(nonces, wrong, `Error: no such file: notes/${word}.txt. Did you mean "notes/${word}.md"?`),
      });
    }),
    one(18, 'Thirty tools', {}, () => {
      const subject = nonces.name();
      return ask(`What is the tide at ${subject}?`, calls({ name: 'tide', arguments: { subject } }), {
        tools: [...sevenTools, ...neighbours],
      });
    }),
    one(19, 'After three calls', {}, () => {
      const paths = [1, 2, 3, 4].map(() => `notes/${nonces.word()}.txt`);
      const [last = '', ...before] = paths;
      const history = before.flatMap((path) => [
        user(`Read the file ${path}.`),
        ...called(nonces, read(path), `It says ${nonces.word()}.`),
        { role: 'assistant', content: 'I have read it.' },
      ]);
      return ask(`Read the file ${last}.`, calls(read(last)), { before: history });
    }),
    one(20, 'A tag is explained', {}, () => {
      const word = nonces.word();
      return ask(`Explain to me what the tag <tool_call> is for, and end with the word ${word}.`, {
        kind: 'text',
        holds: ['<tool_call>', word],
      });
    }),
  ];
}

const one = (
  number: number,
  title: string,
  streamed: Pick<ProbeCase, 'streamed'>,
  make: ProbeCase['make'],
): ProbeCase => ({ number, title, ...streamed, make });

interface More {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: JsonObject | string;
  /** Messages before what is said, and behind it. */
  readonly before?: readonly JsonObject[];
  readonly history?: readonly JsonObject[];
  readonly max_tokens?: number;
}

const system = {
  role: 'system',
  content: 'You are a helpful assistant. Call a tool where one helps, else answer in words.',
};

const user = (content: string): JsonObject => ({ role: 'user', content });

function ask(
  said: string,
  expects: Expectation,
  { tools = sevenTools, before = [], history = [], ...more }: More = {},
) {
  const messages = [system, ...before, user(said), ...history];
  return { request: { messages, tools: [...tools], max_tokens: 400, ...more }, expects };
}

const calls = (...expected: ExpectedCall[]): Expectation => ({ kind: 'calls', calls: expected });
const weather = (city: string): ExpectedCall => ({ name: 'weather', arguments: { city, unit: 'celsius' } });
const read = (path: string): ExpectedCall => ({ name: 'read', arguments: { path } });

/** A past call and its result. */
function called(nonces: Nonces, { name, arguments: args }: ExpectedCall, result: string): JsonObject[] {
  const id = `call_${nonces.word()}`;
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

/** Values one a line, each with its path: `items[0].qty: 3`. */
function listed(what: string, values: JsonObject): string {
  return [`${what} with exactly these values:`, ...lines('', values)].join('\n');
}

function lines(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => lines(`${path}[${at}]`, each));
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, each]) => lines(path === '' ? key : `${path}.${key}`, each));
}

function writing(nonces: Nonces, content: string, max_tokens: number, folder = 'notes') {
  const path = `${folder}/${nonces.word()}.txt`;
  return ask(
    `Write the file "${path}" with exactly the text between the two lines of dashes, every character as it stands:\n-----\n${content}\n-----`,
    calls({ name: 'write', arguments: { path, content } }),
    { max_tokens },
  );
}

/** What breaks JSON or tags that are written by hand. */
function hardLines(nonces: Nonces): string {
  const hard = [
    (word: string) => `"${word}" said: "it's \\"fine\\""`,
    (word: string) => `\tC:\\Users\\${word}\\new\\table`,
    (word: string) => `\`\`\`${word}`,
    (word: string) => `</parameter> ${word} </function>`,
    (word: string) => `const ${word} = /^"(?:[^"\\\\]|\\\\.)*"$/u; // {"a": [1, {"b": "}]"}]}`,
    (word: string) => `\t\t<tag attr="${word}">&amp;</tag>`,
  ];
  return Array.from({ length: 30 }, (_, at) => hard[at % hard.length]?.(nonces.word())).join('\n');
}

function manyLines(nonces: Nonces): string {
  let text = '';
  for (let at = 1; text.length < 6_000; at++)
    text += `${at}. ${nonces.name()} met ${nonces.name()} "at noon" with ${nonces.number(2, 99)} ${nonces.word()}.\n`;
  return text.slice(0, 6_144).trimEnd();
}
