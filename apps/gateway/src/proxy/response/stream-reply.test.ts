import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Heartbeat } from './heartbeat.ts';
import { StreamReply } from './stream-reply.ts';

const pieces = ['one', 'two 😀 zwei', '', 'é', 'x'.repeat(70_000), 'last'];
const heartbeat = new Heartbeat();
let server: Server;

/** Writes the pieces, each in a turn of the loop of its own; the last leaves with the end. */
beforeEach(async () => {
  server = createServer((_, raw) => {
    const reply = new StreamReply(raw, {
      headers: () => ({ 'content-type': 'text/event-stream' }),
      keepAlive: () => '',
      pause: () => {},
      resume: () => {},
      heartbeat,
    });
    const left = [...pieces];
    const next = () => {
      reply.push(left.shift() ?? '');
      if (left.length === 0) return reply.end();
      reply.flush();
      reply.flush();
      setImmediate(next);
    };
    next();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterEach(() => server.close());

/** All that comes back for some bytes, until the server closes the connection. */
const answerTo = (bytes: string): Promise<Buffer> =>
  new Promise((done, failed) => {
    const got: Buffer[] = [];
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => got.push(data));
    socket.on('end', () => done(Buffer.concat(got)));
    socket.on('error', failed);
  });

/** Bodies of chunked responses that follow each other. Throws where the framing is not HTTP's. */
function bodies(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = bytes.indexOf('\r\n\r\n', at);
    expect(bytes.subarray(at, head).toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Transfer-Encoding: chunked/i);
    const parts: Buffer[] = [];
    for (at = head + 4; ; ) {
      const line = bytes.indexOf('\r\n', at);
      const size = Number.parseInt(bytes.subarray(at, line).toString(), 16);
      expect(size).toBeGreaterThanOrEqual(0);
      parts.push(bytes.subarray(line + 2, line + 2 + size));
      at = line + 2 + size;
      expect(bytes.subarray(at, at + 2).toString()).toBe('\r\n');
      at += 2;
      if (size === 0) break;
    }
    found.push(Buffer.concat(parts).toString('utf8'));
  }
  return found;
}

const whole = pieces.join('');
const request = (more = '') => `GET / HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

it('frames every chunk as HTTP does, whatever its characters, and ends once', async () => {
  expect(bodies(await answerTo(request('connection: close\r\n')))).toEqual([whole]);
});

it('responses that follow each other on one connection keep their frames, requested one by one or pipelined', async () => {
  expect(bodies(await answerTo(request() + request() + request('connection: close\r\n')))).toEqual([
    whole,
    whole,
    whole,
  ]);
});

it('a client that does not support chunked encoding gets the bare text', async () => {
  const answer = (await answerTo('GET / HTTP/1.0\r\n\r\n')).toString('utf8');
  expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe(whole);
});
