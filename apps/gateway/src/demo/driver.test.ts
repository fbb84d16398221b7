import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DemoDriver } from './driver.ts';

let server: Server;
let url: string;
let seen: { key: string | undefined; agent: string | undefined; model: string }[];
let driver: DemoDriver | undefined;

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { authorization, 'user-agent': agent } = request.headers;
      seen.push({ key: authorization, agent, model: (JSON.parse(body) as { model: string }).model });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  driver?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const driving = (options: { now?: () => number; everyMs?: number } = {}) => {
  driver = new DemoDriver({ target: () => ({ url, key: 'sk-demo' }), firstEveryMs: 1, everyMs: 5, ...options });
  return driver;
};
const until = async (true_: () => boolean) => {
  for (let n = 0; n < 400 && !true_(); n++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(true_()).toBe(true);
};

it('the first batch reaches every demo model, as the demo client with the demo key', async () => {
  await driving().first(12);
  expect(seen).toHaveLength(12);
  expect(new Set(seen.map(({ model }) => model)).size).toBe(4);
  expect(seen[0]).toMatchObject({ key: 'Bearer sk-demo', agent: 'callsmith-demo/1.0' });
});

it('continues while it is polled, and ends 10 s after the last poll', async () => {
  let now = 0;
  const demo = driving({ now: () => now });
  expect(demo.keepGoing(true)).toEqual({ running: true, until: new Date(15 * 60_000) });
  await until(() => seen.length >= 2);
  now = 10_001;
  await until(() => !demo.state.running);
  expect(demo.keepGoing(true).until).toEqual(new Date(now + 15 * 60_000));
});

it('ends after 15 minutes although it is still polled', async () => {
  let now = 0;
  const demo = driving({ now: () => now });
  for (; now <= 15 * 60_000; now += 5_000) demo.keepGoing(true);
  await until(() => !demo.state.running);
  expect(demo.keepGoing(true)).toEqual({ running: false, until: null });
});

it('stops immediately when asked to, and starts again when polled again', async () => {
  const demo = driving();
  demo.keepGoing(true);
  expect(demo.keepGoing(false)).toEqual({ running: false, until: null });
  expect(demo.keepGoing(true).running).toBe(true);
});
