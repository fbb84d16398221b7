import { connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { watchBodies } from './body-timeouts.ts';

const times = { bytes: 1000, windowMs: 200, wholeMs: 3000 };
const open: FastifyInstance[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const fastify of open.splice(0)) await fastify.close();
});

async function served(): Promise<{ port: number; late: number; bodies: number }> {
  const fastify = Fastify({ forceCloseConnections: true });
  open.push(fastify);
  const seen = { port: 0, late: 0, bodies: 0 };
  watchBodies(fastify, times);
  fastify.addContentTypeParser('application/told', (request, payload, done) => {
    if (request.bodyWatch)
      request.bodyWatch.onTimeout = () => {
        seen.late++;
        done(Object.assign(new Error('late'), { statusCode: 408 }));
      };
    payload.resume().on('end', () => done(null, 'whole'));
  });
  fastify.post('/', () => {
    seen.bodies++;
    return 'ok';
  });
  fastify.post('/refused', { onRequest: async (_request, reply) => reply.code(401).send('no') }, () => 'ok');
  fastify.get('/', () => 'ok');
  await fastify.listen({ port: 0 });
  seen.port = (fastify.server.address() as { port: number }).port;
  return seen;
}

async function half(
  port: number,
  path: string,
  type = 'application/json',
  piece = '{"a":',
): Promise<{ text: string; closed: boolean; socket: Socket }> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const got = { text: '', closed: false, socket };
  socket
    .on('data', (bytes) => (got.text += bytes.toString()))
    .on('close', () => (got.closed = true))
    .on('error', () => {});
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\ncontent-length: 1000000\r\n\r\n${piece}`);
  return got;
}

const patient = { timeout: 20_000, interval: 20 };

describe('D-39 a body must arrive in time', () => {
  it.each(['/', '/refused', '/nowhere'])('half a body does not keep its connection open: %s', async (path) => {
    const { port } = await served();
    const got = await half(port, path);
    await vi.waitFor(() => expect(got.closed).toBe(true), patient);
  });

  it('a route may answer before its connection is closed', async () => {
    const seen = await served();
    const got = await half(seen.port, '/', 'application/told');
    await vi.waitFor(() => expect(got.closed).toBe(true), patient);
    expect(got.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(seen.late).toBe(1);
  });

  it('a trickling body times out, one that arrives at a steady pace does not', async () => {
    const seen = await served();
    const trickling = await half(seen.port, '/');
    const steady = await half(seen.port, '/', 'application/told', 'x'.repeat(500_000));
    const timers = [
      setInterval(() => trickling.socket.write('1'), 20),
      setInterval(() => steady.socket.write('x'.repeat(25_000)), 20),
    ];
    try {
      await vi.waitFor(() => expect(trickling.closed).toBe(true), patient);
      await vi.waitFor(() => expect(seen.bodies).toBe(1), patient);
      await vi.waitFor(() => expect(steady.text).toMatch(/^HTTP\/1\.1 200 /), patient);
    } finally {
      timers.forEach(clearInterval);
    }
  });

  it('an endless body times out however fast it arrives', async () => {
    const seen = await served();
    const got = await half(seen.port, '/', 'application/told');
    const timer = setInterval(() => got.socket.write('x'.repeat(1000)), 20);
    try {
      await vi.waitFor(() => expect(got.closed).toBe(true), patient);
      expect(seen.bodies).toBe(0);
    } finally {
      clearInterval(timer);
    }
  });

  it('an idle connection and a long response are not affected', async () => {
    const { port } = await served();
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(200);
  });
});
