import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Product, startProduct } from '../product.ts';

/** The limit for anything that a client or a model server sends (D-39). */
const mostMs = 250;
const probeEveryMs = 5;
const MIB = 1024 * 1024;

/** A hostile case: a request, and the model server's response. */
interface HostileCase {
  readonly name: string;
  readonly path?: string;
  /** JSON text; without it a short request with a tool. */
  readonly body?: () => string;
  readonly stream?: boolean;
  readonly answer?: (response: ServerResponse) => void;
  /** Megabytes that are read in this case. */
  readonly mb: number;
}

const tools = [{ type: 'function', function: { name: 'git_status', parameters: { type: 'object', properties: {} } } }];
const message = (content: string): string =>
  `{"model":"hostile","messages":[{"role":"user","content":${JSON.stringify(content)}}]}`;

const chunk = (delta: string, reason = 'null'): string =>
  `data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"hostile","choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}\n\n`;

const whole =
  (content: string) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      `{"id":"a","object":"chat.completion","created":1,"model":"hostile","choices":[{"index":0,"message":{"role":"assistant","content":${content}},"finish_reason":"stop"}]}`,
    );
  };

const streamed =
  (...deltas: readonly string[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const delta of deltas) response.write(chunk(delta));
    response.end(`${chunk('{}', '"stop"')}data: [DONE]\n\n`);
  };

/** A text of a megabyte. */
const mega = (unit: string): string => unit.repeat(Math.ceil(MIB / unit.length)).slice(0, MIB);
const asContent = (text: string): string => `{"content":${JSON.stringify(text)}}`;

const texts: readonly (readonly [string, string])[] = [
  ['opened calls', '<tool_call>{"name": '],
  ['opened lists', '<tool_calls>[{"'],
  ['brackets', '\n{\n['],
  ['fences', '\n```\n{"arguments":'],
  ['escaped calls', '&lt;tool_call&gt;[{'],
  ['DeepSeek openers', '<|tool_call_begin|>function<|tool_sep|>'],
  ['calls', '<tool_call>{"name":"git_status","arguments":{}}</tool_call>'],
  ['reasoning', '<think>\n</think>\n'],
];

/** A response with a status and an unmodified body. */
const answered =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };

const call = (args: string): string =>
  `{"tool_calls":[{"index":0,"id":"a","function":{"name":"git_status","arguments":${JSON.stringify(args)}}}]}`;

const list = (count: number, one: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => one(at)).join();
const chat = (rest: string): string => `{"model":"hostile","messages":[{"role":"user","content":"Hi"}],${rest}}`;
const tool = (name: string, parameters: string): string =>
  `{"type":"function","function":{"name":"${name}","parameters":${parameters}}}`;
const wide = (count: number): string =>
  `{"type":"object","properties":{${list(count, (at) => `"p${at}":{"type":"string"}`)}}}`;
const deep = (depth: number): string =>
  `${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${'}}'.repeat(depth)}`;
const branches = (count: number): string =>
  `{"type":"object","properties":{"a":{"anyOf":[${list(count, (at) => `{"type":"object","properties":{"op":{"const":"${at}"},"v":{"type":"integer"}},"required":["op","v"]}`)}]}},"required":["a"]}`;
const toolOf = (parameters: string): string => chat(`"stream":true,"tools":[${tool('git_status', parameters)}]`);

/** A past call with these arguments, as inside a JSON string. */
const past = (args: string): string =>
  `{"model":"hostile","tools":[${tool('git_status', '{}')}],"messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"git_status","arguments":"${args}"}}]}]}`;

/** What a client may send. */
const requests: readonly HostileCase[] = [
  {
    name: '30 MB of objects',
    mb: 30,
    body: () => `{"model":"hostile","messages":[${'{"a":{},"b":1},'.repeat(2_000_000)}{}]}`,
  },
  { name: '20 MB of lists', mb: 20, body: () => `{"model":"hostile","messages":${'['.repeat(20 * MIB)}` },
  { name: '99,000 members', mb: 1, body: () => chat(`"metadata":[${'{"k":1},'.repeat(49_000)}1]`) },
  { name: '99,000 names', mb: 2, body: () => chat(`"metadata":{${list(99_000, (at) => `"name ${at}":${at}`)}}`) },
  { name: 'numbers of 20 digits', mb: 2, body: () => chat(`"metadata":[${'12345678901234567890,'.repeat(99_000)}1]`) },
  { name: '40,000 levels', mb: 1, body: () => chat(`"metadata":${'[{"a":'.repeat(40_000)}1${'}]'.repeat(40_000)}`) },
  { name: 'a text of 31 MB', mb: 31, body: () => message('word '.repeat(6.2 * MIB)) },
  {
    name: 'a text of 31 MB with a tool',
    mb: 31,
    body: () => toolOf('{}').replace('"Hi"', () => `"${'word '.repeat(6.2 * MIB)}"`),
  },
  { name: 'a text of 31 MB, not Latin', mb: 31, body: () => message('漢字か'.repeat(3.4 * MIB)) },
  {
    name: 'a text of escapes',
    mb: 31,
    body: () => `{"model":"hostile","messages":[{"role":"user","content":"${'\\u0001'.repeat(5 * MIB)}"}]}`,
  },
  { name: 'a text of quotation marks', mb: 31, body: () => message('"'.repeat(15.5 * MIB)) },
  {
    name: 'a text of markers with a tool',
    mb: 31,
    body: () => toolOf('{}').replace('"Hi"', () => `"${'<tool_call>'.repeat(2.8 * MIB)}"`),
  },
  {
    name: 'results of markers',
    mb: 30,
    body: () =>
      `{"model":"hostile","tools":[${tool('git_status', '{}')}],"messages":[${list(3000, (at) => `{"role":"assistant","tool_calls":[{"id":"c${at}","type":"function","function":{"name":"git_status","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c${at}","content":"${'<|im_end|>'.repeat(1000)}"}`)}]}`,
  },
  { name: 'past arguments of 30 MB', mb: 30, body: () => past(`{\\"a\\":[${'1,'.repeat(15 * MIB)}1]}`) },
  { name: 'past arguments of a text of 30 MB', mb: 30, body: () => past(`{\\"a\\":\\"${'word '.repeat(6 * MIB)}\\"}`) },
  { name: 'past arguments of escapes', mb: 30, body: () => past(`{\\"a\\":\\"${'\\\\u003c'.repeat(4 * MIB)}\\"}`) },
  { name: 'past arguments of markers', mb: 30, body: () => past(`{\\"a\\":\\"${'<|im_end|>'.repeat(3 * MIB)}\\"}`) },
  { name: 'past arguments that do not parse', mb: 30, body: () => past(`{\\"a\\":\\"${'<|im_end|>'.repeat(3 * MIB)}`) },
  { name: 'past arguments, glued', mb: 30, body: () => past('{}'.repeat(15 * MIB)) },
  {
    name: 'lines behind a missing result',
    mb: 30,
    body: () =>
      past('{}').replace(
        /]}$/,
        `,{"role":"tool","tool_call_id":"c","content":"result missing"},{"role":"user","content":"${'\\n'.repeat(15 * MIB)}"}]}`,
      ),
  },
  { name: 'a text of digits', mb: 31, body: () => message(' 1234567890123456,'.repeat(1.7 * MIB)) },
  { name: 'a picture of 20 MB', mb: 20, body: () => message('iVBORw0K'.repeat(2.5 * MIB)) },
  { name: 'an unfinished string', mb: 31, body: () => `{"model":"hostile","messages":"${'\\"'.repeat(15.5 * MIB)}` },
  {
    name: 'tokens to embeddings',
    mb: 12,
    path: '/v1/embeddings',
    body: () => `{"model":"hostile","input":[${'123,'.repeat(3_000_000)}1]}`,
  },
  {
    name: 'most tokens to embeddings',
    mb: 31,
    path: '/v1/embeddings',
    body: () => `{"model":"hostile","input":[${'1234,'.repeat(6_200_000)}1]}`,
  },
  {
    name: 'most tokens to completions',
    mb: 31,
    path: '/v1/completions',
    body: () => `{"model":"hostile","stream":true,"prompt":[${list(90_000, () => `[${'17,'.repeat(85)}1]`)}]}`,
  },
  {
    name: 'numbers elsewhere',
    mb: 12,
    path: '/v1/embeddings',
    body: () => `{"model":"hostile","input":"Hi","metadata":[${'123,'.repeat(3_000_000)}1]}`,
  },
  {
    name: 'long texts to embeddings',
    mb: 31,
    path: '/v1/embeddings',
    body: () => `{"model":"hostile","input":[${list(1000, () => JSON.stringify('word '.repeat(6200)))}]}`,
  },
  {
    name: '2,000 tools',
    mb: 2,
    body: () => chat(`"stream":true,"tools":[${list(2000, (at) => tool(`tool_${at}`, wide(20)))}]`),
  },
  { name: 'a wide schema', mb: 1, body: () => toolOf(wide(48_000)) },
  { name: 'a deep schema', mb: 1, body: () => toolOf(deep(90)) },
  { name: 'a schema of branches', mb: 1, body: () => toolOf(branches(6000)) },
  {
    name: 'a description of 30 MB',
    mb: 30,
    body: () =>
      chat(
        `"tools":[${tool('git_status', `{"type":"object","properties":{"a":{"type":"string","description":"${'word '.repeat(6 * MIB)}"}}}`)}]`,
      ),
  },
  {
    name: '10,000 messages',
    mb: 1,
    body: () =>
      `{"model":"hostile","stream":true,"tools":[${tool('git_status', '{}')}],"messages":[${list(9999, (at) => `{"role":"${at % 2 ? 'assistant' : 'user'}","content":"word ${at}"}`)}]}`,
  },
  {
    name: '9,000 calls and results',
    mb: 2,
    body: () =>
      `{"model":"hostile","tools":[${tool('git_status', '{}')}],"messages":[${list(4500, (at) => `{"role":"assistant","tool_calls":[{"id":"c${at}","type":"function","function":{"name":"git_status","arguments":"{\\"a\\":${at}}"}}]},{"role":"tool","tool_call_id":"c${at}","content":"ok"}`)}]}`,
  },
  {
    name: 'one message of 16,000 calls',
    mb: 2,
    body: () =>
      `{"model":"hostile","tools":[${tool('git_status', '{}')}],"messages":[{"role":"assistant","tool_calls":[${list(16_000, (at) => `{"id":"c${at}","type":"function","function":{"name":"git_status","arguments":"{"}}`)}]}]}`,
  },
  {
    name: '30,000 parts',
    mb: 2,
    body: () =>
      `{"model":"hostile","tools":[${tool('git_status', '{}')}],"messages":[{"role":"user","content":[${list(30_000, (at) => `{"type":"text","text":"part ${at}"}`)}]}]}`,
  },
  {
    name: '10,000 items of /v1/responses',
    mb: 1,
    path: '/v1/responses',
    body: () =>
      `{"model":"hostile","store":false,"tools":[{"type":"function","name":"git_status","parameters":{}}],"input":[${list(4900, (at) => `{"type":"function_call","call_id":"c${at}","name":"git_status","arguments":"{}"},{"type":"function_call_output","call_id":"c${at}","output":"ok"}`)}]}`,
  },
  {
    name: '30,000 blocks of /v1/messages',
    mb: 2,
    path: '/v1/messages',
    body: () =>
      `{"model":"hostile","max_tokens":9,"tools":[{"name":"git_status","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[${list(30_000, (at) => `{"type":"text","text":"part ${at}"}`)}]}]}`,
  },
  {
    name: 'tokens counted of 31 MB',
    mb: 31,
    path: '/v1/messages/count_tokens',
    body: () => message('word '.repeat(6.2 * MIB)),
  },
  {
    name: 'an address of 15 KB',
    mb: 1,
    path: `/v1/chat/completions?${'a[]=%41&'.repeat(1900)}`,
    body: () => message('Hi'),
  },
];

/** What a model server may respond. */
const answers: readonly HostileCase[] = [
  { name: 'whole answer of 30 MB', mb: 30, answer: whole(JSON.stringify('word '.repeat(6 * MIB))) },
  { name: 'whole answer of 31 MB', mb: 31, answer: whole(JSON.stringify('word '.repeat(6.2 * MIB))) },
  {
    name: 'whole answer of 31 MB, without tools',
    mb: 31,
    body: () => message('Hi'),
    answer: whole(JSON.stringify('word '.repeat(6.2 * MIB))),
  },
  {
    name: 'whole answer of 31 MB, not Latin',
    mb: 31,
    body: () => message('Hi'),
    answer: whole(JSON.stringify('漢字か'.repeat(3.4 * MIB))),
  },
  { name: 'whole answer of 31 MB, escapes', mb: 31, answer: whole(`"${'\\u0001'.repeat(5 * MIB)}"`) },
  { name: 'whole answer of 30 MB of members', mb: 30, answer: whole(`[${'{"a":1},'.repeat(3_700_000)}1]`) },
  { name: 'whole answer of 590,000 members', mb: 8, answer: whole(`"Hi","extra":[${'{"a":1},'.repeat(295_000)}1]`) },
  {
    name: 'whole answer of 590,000 members, without tools',
    mb: 8,
    body: () => message('Hi'),
    answer: whole(`"Hi","extra":[${'{"a":1},'.repeat(295_000)}1]`),
  },
  {
    name: 'whole answer of many names, without tools',
    mb: 15,
    body: () => message('Hi'),
    answer: whole(`"Hi","extra":{${list(900_000, (at) => `"n${at}":1`)}}`),
  },
  {
    name: 'whole answer of 100,000 calls',
    mb: 10,
    answer: whole(
      `"","tool_calls":[${list(100_000, (at) => `{"id":"c${at}","type":"function","function":{"name":"git_status","arguments":"{}"}}`)}]`,
    ),
  },
  {
    name: 'whole answer of 100,000 choices',
    mb: 10,
    answer: answered(
      200,
      `{"id":"a","choices":[${list(100_000, (at) => `{"index":${at},"message":{"content":"a"},"finish_reason":"stop"}`)}]}`,
    ),
  },
  {
    name: 'whole answer to /v1/embeddings',
    mb: 60,
    path: '/v1/embeddings',
    body: () => '{"model":"hostile","input":"Hi"}',
    answer: answered(200, `{"data":[{"embedding":[${'0.123,'.repeat(10 * MIB)}1]}]}`),
  },
  {
    name: 'error of 3 MB',
    mb: 3,
    answer: answered(500, `{"error":{"message":${JSON.stringify('word '.repeat(0.6 * MIB))}}}`),
  },
  {
    name: 'error of 3 MB that never says so',
    mb: 3,
    answer: answered(500, "error parsing tool call: raw='".repeat(100_000)),
  },
  { name: 'error of 3 MB of spaces', mb: 3, answer: answered(400, `1 validation error:${' '.repeat(3 * MIB)}`) },
  { name: 'error of members', mb: 4, answer: answered(400, `{"error":[${'{"a":1},'.repeat(500_000)}1]}`) },
  {
    name: 'error that is a page',
    mb: 3,
    answer: answered(502, `<html>${'<p>word '.repeat(400_000)}`, { 'content-type': 'text/html' }),
  },
  {
    name: 'event of 4 MB of members',
    mb: 4,
    stream: true,
    answer: streamed(`{"content":"a","extra":[${'{"a":1},'.repeat(500_000)}1]}`),
  },
  {
    name: 'events of 4 MB of members, without tools',
    mb: 16,
    body: () => chat('"stream":true'),
    answer: streamed(...Array(4).fill(`{"content":"a","extra":[${'{"a":1},'.repeat(500_000)}1]}`)),
  },
  {
    name: 'events of 200 KB of members',
    mb: 20,
    stream: true,
    answer: streamed(...Array(100).fill(`{"content":"a","extra":[${'{"a":1},'.repeat(25_000)}1]}`)),
  },
  {
    name: 'log probabilities',
    mb: 20,
    stream: true,
    answer: streamed(
      ...Array(20_000).fill(
        `{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[${list(20, () => '{"token":"b","logprob":-2,"bytes":[98]}')}]}]`,
      ),
    ),
  },
  { name: 'arguments of 4 MB', mb: 4, stream: true, answer: streamed(call(`{"a":[${'1,'.repeat(1_500_000)}1]}`)) },
  {
    name: 'arguments of 15 MB in events',
    mb: 15,
    stream: true,
    answer: streamed(
      call('{"a":['),
      ...Array(1000).fill(`{"tool_calls":[{"index":0,"function":{"arguments":"${'1,'.repeat(7800)}"}}]}`),
      '{"tool_calls":[{"index":0,"function":{"arguments":"1]}"}}]}',
    ),
  },
  {
    name: 'arguments of 15 MB, whole',
    mb: 15,
    answer: whole(`"",${call(`{"a":[${'1,'.repeat(7.5 * MIB)}1]}`).slice(1, -1)}`),
  },
  {
    name: 'arguments of 15 MB that do not parse',
    mb: 15,
    answer: whole(`"",${call(`{'a':[${"'b' ".repeat(3.7 * MIB)}`).slice(1, -1)}`),
  },
  {
    name: 'arguments of 1 MB, deep',
    mb: 1,
    stream: true,
    answer: streamed(call(`{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`)),
  },
  {
    name: 'arguments of 3 MB against branches',
    mb: 3,
    body: () => toolOf(branches(600)),
    answer: streamed(call(`{"a":{"op":"x","v":[${'1,'.repeat(1_500_000)}1]}}`)),
  },
  {
    name: 'arguments of 90,000 members against a wide schema',
    mb: 2,
    body: () => toolOf(wide(20_000)),
    answer: streamed(call(`{${list(90_000, (at) => `"q${at}":1`)}}`)),
  },
  { name: 'arguments in fences', mb: 3, stream: true, answer: streamed(call('```json\n{"a":'.repeat(200_000))) },
  {
    name: 'a text call of 4 MB',
    mb: 4,
    stream: true,
    answer: streamed(
      asContent(`<tool_call>{"name":"git_status","arguments":{"a":[${'1,'.repeat(1_900_000)}1]}}</tool_call>`),
    ),
  },
  {
    name: 'empty lines',
    mb: 20,
    stream: true,
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('\n'.repeat(20 * MIB));
    },
  },
  {
    name: 'lines of data',
    mb: 4,
    stream: true,
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data:1\n'.repeat(600_000));
    },
  },
  {
    name: 'carriage returns',
    mb: 20,
    stream: true,
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('\r'.repeat(20 * MIB));
    },
  },
  {
    name: 'events of nothing',
    mb: 20,
    stream: true,
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {}\n\n'.repeat(2 * MIB));
    },
  },
  {
    name: 'a head of 10,000 lines',
    mb: 1,
    answer: answered(200, '{}', Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`x-${at}`, 'a']))),
  },
  ...texts.flatMap(([name, unit]): HostileCase[] => [
    { name: `${name}, whole`, mb: 1, answer: whole(JSON.stringify(mega(unit))) },
    { name: `${name}, one event`, mb: 1, stream: true, answer: streamed(asContent(mega(unit))) },
    {
      name: `${name}, small events`,
      mb: 1,
      stream: true,
      answer: streamed(...(mega(unit).match(/[\s\S]{1,64}/g) ?? []).map(asContent)),
    },
  ]),
];

/** The client APIs beside chat completions: the path of a stream, and the body without its end. */
const clientApis: readonly (readonly [string, string])[] = [
  [
    '/v1/responses',
    `{"model":"hostile","input":"Hi","tools":[{"type":"function","name":"git_status","parameters":{"type":"object"}}]`,
  ],
  [
    '/v1/messages',
    `{"model":"hostile","max_tokens":9000000,"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"git_status","input_schema":{"type":"object"}}]`,
  ],
  [
    '/v1beta/models/hostile:streamGenerateContent?alt=sse',
    `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"git_status"}]}]`,
  ],
];

/** Deltas of 16 KB and 40 MB in all: more than an answer may have. */
const endless = (delta: (text: string) => string): string[] => Array(2500).fill(delta('word '.repeat(3300)));

/** What a model server may respond to a request in each client API, since each writes its own end. */
const answersByApi: readonly HostileCase[] = clientApis.flatMap(([path, body]): HostileCase[] => {
  const streaming = { path, mb: 40, body: () => `${body}${path.includes('?') ? '' : ',"stream":true'}}` };
  const inWhole = { path: path.replace('streamG', 'g').replace('?alt=sse', ''), mb: 30, body: () => `${body}}` };
  return [
    { ...streaming, name: `${path}: endless text`, answer: streamed(...endless(asContent)) },
    {
      ...streaming,
      name: `${path}: endless reasoning`,
      answer: streamed(...endless((text) => `{"reasoning_content":${JSON.stringify(text)}}`)),
    },
    {
      ...streaming,
      name: `${path}: endless arguments`,
      answer: streamed(
        call('{"a":"'),
        ...endless((text) => `{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(text)}}}]}`),
      ),
    },
    {
      ...inWhole,
      name: `${path}: arguments of 15 MB with many names`,
      answer: whole(`"",${call(`{${list(1_000_000, (at) => `"p${at}":1`)}}`).slice(1, -1)}`),
    },
    {
      ...streaming,
      name: `${path}: arguments of 10 MB of lists`,
      answer: streamed(
        call('{"a":['),
        ...Array(700).fill(`{"tool_calls":[{"index":0,"function":{"arguments":"${'[],'.repeat(5200)}"}}]}`),
        '{"tool_calls":[{"index":0,"function":{"arguments":"[]]}"}}]}',
      ),
    },
    { ...inWhole, name: `${path}: whole answer of 31 MB`, answer: whole(JSON.stringify('word '.repeat(6.2 * MIB))) },
    {
      ...inWhole,
      name: `${path}: whole arguments of 15 MB`,
      answer: whole(`"",${call(`{"a":"${'word '.repeat(3 * MIB)}"}`).slice(1, -1)}`),
    },
  ];
});

const cases: readonly HostileCase[] = [...requests, ...answers, ...answersByApi];

/** How one case affected the gateway. */
interface Hold {
  readonly name: string;
  /** The longest time in which the gateway answered no other request, in milliseconds of its main thread. */
  readonly longestMs: number;
  readonly cpuMsPerMb: number;
}

/**
 * Sends the hostile set to a separate gateway and prints how long its event loop was blocked. 1: longer than allowed.
 */
export async function hostile(print: (text: string) => void, named = ''): Promise<number> {
  let answer: HostileCase['answer'];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url?.endsWith('/models')) {
        response.setHeader('content-type', 'application/json');
        response.end('{"object":"list","data":[{"id":"hostile","object":"model"}]}');
      } else if (answer) answer(response);
      else whole('"Hello."')(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const upstreamUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const product = await startProduct({ upstreamUrl });
  const holds: Hold[] = [];
  try {
    await product.changeModel('hostile', { strategy: 'prompt', dialect: 'hermes', reason: 'benchmark' });
    answer = streamed(...Array(2000).fill(asContent('some words ')));
    for (let count = 0; count < 5; count++) await send(product, { name: 'warm', mb: 0, stream: true });
    for (const one of cases.filter(({ name }) => name.includes(named))) {
      ({ answer } = one);
      const hold = await measured(product, one);
      holds.push(hold);
      print(`${hold.name}: held ${hold.longestMs.toFixed(0)} ms, ${hold.cpuMsPerMb.toFixed(0)} ms of CPU per MB`);
    }
  } finally {
    await product.stop();
    server.closeAllConnections();
    server.close();
  }
  const longest = holds.reduce((worst, hold) => (hold.longestMs > worst.longestMs ? hold : worst));
  print(`longest: ${longest.longestMs.toFixed(0)} ms (${longest.name}); at most ${mostMs}`);
  return longest.longestMs > mostMs ? 1 : 0;
}

async function send(product: Product, hostileCase: HostileCase): Promise<void> {
  const body =
    hostileCase.body?.() ??
    JSON.stringify({ ...(JSON.parse(message('Hello')) as object), tools, stream: hostileCase.stream === true });
  try {
    const reply = await fetch(product.url + (hostileCase.path ?? '/v1/chat/completions'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${product.apiKey}` },
      body,
    });
    await reply.arrayBuffer();
  } catch {
    // A body that is refused before it is complete may end its connection first.
  }
}

/**
 * Sends small requests meanwhile. The gateway's CPU time until each response is the time that its event loop was
 * blocked.
 */
async function measured(product: Product, hostileCase: HostileCase): Promise<Hold> {
  let longestMs = 0;
  let over = false;
  const probing = (async () => {
    while (!over) {
      const [begun, before] = [performance.now(), mainThreadMs(product.pid)];
      await (await fetch(`${product.url}/healthz`)).arrayBuffer();
      // On a shared machine not all waiting time is the gateway's; and its work may be split over several loop
      // iterations.
      longestMs = Math.max(longestMs, Math.min(performance.now() - begun, mainThreadMs(product.pid) - before));
      await sleep(probeEveryMs);
    }
  })();
  const before = mainThreadMs(product.pid);
  await send(product, hostileCase);
  await sleep(200);
  over = true;
  await probing;
  return { name: hostileCase.name, longestMs, cpuMsPerMb: (mainThreadMs(product.pid) - before) / hostileCase.mb };
}

/** CPU time of a process's main thread, by the kernel's accounting. */
const mainThreadMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
