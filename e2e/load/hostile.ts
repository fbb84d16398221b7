import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Product, startProduct } from '../product.ts';

/** What nothing that a client or a model server sends may exceed (D-39). */
const mostMs = 250;
const probeEveryMs = 5;
const MIB = 1024 * 1024;

/** Something hostile: a request, and what the model server answers to it. */
interface HostileCase {
  readonly name: string;
  readonly path?: string;
  /** JSON text; without it a short request with a tool. */
  readonly body?: () => string;
  readonly stream?: boolean;
  readonly answer?: (response: ServerResponse) => void;
  /** Megabytes that are read for it. */
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

const cases: readonly HostileCase[] = [
  {
    name: '30 MB of objects',
    mb: 30,
    body: () => `{"model":"hostile","messages":[${'{"a":{},"b":1},'.repeat(2_000_000)}{}]}`,
  },
  { name: '20 MB of lists', mb: 20, body: () => `{"model":"hostile","messages":${'['.repeat(20 * MIB)}` },
  {
    name: '99,000 members',
    mb: 1,
    body: () => `{"model":"hostile","messages":[],"metadata":[${'{"k":1},'.repeat(49_000)}1]}`,
  },
  { name: 'a picture of 20 MB', mb: 20, body: () => message('iVBORw0K'.repeat(2.5 * MIB)) },
  {
    name: '3 million tokens',
    mb: 12,
    path: '/v1/embeddings',
    body: () => `{"model":"hostile","input":[${'123,'.repeat(3_000_000)}1]}`,
  },
  { name: 'whole answer of 30 MB', mb: 30, answer: whole(JSON.stringify('word '.repeat(6 * MIB))) },
  { name: 'whole answer of 30 MB of members', mb: 30, answer: whole(`[${'{"a":1},'.repeat(3_700_000)}1]`) },
  {
    name: 'event of 4 MB of members',
    mb: 4,
    stream: true,
    answer: streamed(`{"content":"a","extra":[${'{"a":1},'.repeat(500_000)}1]}`),
  },
  {
    name: 'arguments of 4 MB',
    mb: 4,
    stream: true,
    answer: streamed(
      `{"tool_calls":[{"index":0,"id":"a","function":{"name":"git_status","arguments":${JSON.stringify(`{"a":[${'1,'.repeat(1_500_000)}1]}`)}}}]}`,
    ),
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

/** What one case did to the gateway. */
interface Hold {
  readonly name: string;
  /** The longest time in which the gateway answered nobody else, in milliseconds of its main thread. */
  readonly longestMs: number;
  readonly cpuMsPerMb: number;
}

/** Sends the hostile set to a gateway of its own and prints how long its event loop was held. 1: longer than it may be. */
export async function hostile(say: (text: string) => void): Promise<number> {
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
    for (const one of cases) {
      ({ answer } = one);
      const hold = await measured(product, one);
      holds.push(hold);
      say(`${hold.name}: held ${hold.longestMs.toFixed(0)} ms, ${hold.cpuMsPerMb.toFixed(0)} ms of CPU per MB`);
    }
  } finally {
    await product.stop();
    server.closeAllConnections();
    server.close();
  }
  const longest = holds.reduce((worst, hold) => (hold.longestMs > worst.longestMs ? hold : worst));
  say(`longest: ${longest.longestMs.toFixed(0)} ms (${longest.name}); at most ${mostMs}`);
  return longest.longestMs > mostMs ? 1 : 0;
}

async function send(product: Product, one: HostileCase): Promise<void> {
  const body =
    one.body?.() ?? JSON.stringify({ ...(JSON.parse(message('Hello')) as object), tools, stream: one.stream === true });
  try {
    const reply = await fetch(product.url + (one.path ?? '/v1/chat/completions'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${product.apiKey}` },
      body,
    });
    await reply.arrayBuffer();
  } catch {
    // A body that is refused before it is whole may end its connection first.
  }
}

/** Asks for something small all the while. The processor time that its answer took the gateway is how long that was held. */
async function measured(product: Product, one: HostileCase): Promise<Hold> {
  let longestMs = 0;
  let over = false;
  const probing = (async () => {
    while (!over) {
      const [begun, before] = [performance.now(), mainThreadMs(product.pid)];
      await (await fetch(`${product.url}/healthz`)).arrayBuffer();
      // On a machine that others use as well, a wait is not all ours; and what is ours may be spread over several turns.
      longestMs = Math.max(longestMs, Math.min(performance.now() - begun, mainThreadMs(product.pid) - before));
      await sleep(probeEveryMs);
    }
  })();
  const before = mainThreadMs(product.pid);
  await send(product, one);
  await sleep(200);
  over = true;
  await probing;
  return { name: one.name, longestMs, cpuMsPerMb: (mainThreadMs(product.pid) - before) / one.mb };
}

/** Processor time of a process's main thread, by the kernel's accounting. */
const mainThreadMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
