import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endUnread } from './unread-answers.ts';

const maxUnreadMs = 1500;
let app: FastifyInstance;

beforeAll(async () => {
  app = fastify({ forceCloseConnections: true, keepAliveTimeout: 100 });
  endUnread(app, maxUnreadMs);
  app.get('/long', () => 'word '.repeat(10 * 1024 * 1024));
  app.get('/late', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1.5 * maxUnreadMs));
    return 'at last';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const asking = (path: string) => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
};

it('D-39 a client that reads nothing of a long response is disconnected', async () => {
  const connected = once(app.server, 'connection');
  const client = asking('/long').on('error', () => {});
  client.pause();
  const [served] = await connected;
  await once(served, 'close');
  expect(served.destroyed).toBe(true);
  client.destroy();
});

it('one that reads slowly gets all of it', async () => {
  const client = asking('/long');
  let bytes = 0;
  for await (const part of client) {
    bytes += part.length;
    if (bytes < 10 * 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, maxUnreadMs / 100));
    if (bytes > 50 * 1024 * 1024) break;
  }
  expect(bytes).toBeGreaterThan(50 * 1024 * 1024);
});

it('one that waits for its response is not', async () => {
  const client = asking('/late');
  const [head] = await once(client, 'data');
  expect(String(head)).toContain('at last');
  client.destroy();
});

it('an idle keep-alive connection is closed as usual', async () => {
  const client = asking('/late');
  await once(client, 'data');
  await once(client, 'end');
});
