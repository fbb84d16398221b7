import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { followRequests } from './drain.ts';

let server: Server;
const started = async (handler: (request: IncomingMessage) => string | Promise<string>) => {
  server = createServer();
  const requests = followRequests(server);
  server.on('request', (request, response) => {
    void Promise.resolve(handler(request)).then((text) => response.end(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { requests, port: (server.address() as AddressInfo).port };
};

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/**
 * Another thread connects and sends `count` requests while this one is blocked, so that none of them is accepted yet.
 */
function askWhileBlocked(port: number, count: number): Promise<string[]> {
  const asked = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { workerData: { port, count, asked }, parentPort } = require('node:worker_threads');
    const { connect } = require('node:net');
    const ask = () => new Promise((told) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('POST / HTTP/1.1\\r\\nhost: a\\r\\ncontent-length: 2\\r\\n\\r\\n{}', () => {
        Atomics.add(asked, 0, 1);
        Atomics.notify(asked, 0);
      }));
      socket.on('data', (bytes) => { answer += bytes; }).on('error', (error) => { answer = error.code; }).on('close', () => told(answer));
    });
    Promise.all(Array.from({ length: count }, ask)).then((answers) => parentPort.postMessage(answers));`,
    { eval: true, workerData: { port, count, asked } },
  );
  const answers = once(worker, 'message').then(([all]) => all as string[]);
  for (let seen = 0; seen < count; seen = Atomics.load(asked, 0)) Atomics.wait(asked, 0, seen, 10_000);
  return answers;
}

test.each([1, 7, 60])('%i connections that the kernel accepted before the stop are answered', async (count) => {
  const { requests, port } = await started(async () => {
    await sleep(20);
    return 'whole';
  });
  const answers = askWhileBlocked(port, count);
  await requests.drain(5_000);
  const responses = await answers;
  expect(responses).toHaveLength(count);
  for (const answer of responses) expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close.*whole/is);
});

test('once the stop is announced, responses close their connections, those under way too', async () => {
  let letGo = () => {};
  const held = new Promise<void>((done) => {
    letGo = done;
  });
  const { requests, port } = await started(async ({ url }) => {
    if (url === '/v1/held') await held;
    return 'whole';
  });
  const ask = (path: string) =>
    new Promise<IncomingMessage>((resolve) => get({ port, path, headers: { connection: 'keep-alive' } }, resolve));
  expect((await ask('/')).headers.connection).toBe('keep-alive');
  const running = ask('/v1/held');
  while (requests.size < 1) await sleep(5);
  requests.endConnections();
  expect((await ask('/')).headers.connection).toBe('close');
  letGo();
  expect((await running).headers.connection).toBe('close');
  expect(server.listening).toBe(true);
});
