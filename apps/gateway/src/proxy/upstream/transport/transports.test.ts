import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlainTransport } from './plain-transport.ts';
import { TlsTransport } from './tls-transport.ts';
import type { ReplyHandler, RequestHandle, Transport, TransportOptions, TransportRequest } from './transport.ts';

/** A server whose every byte a test decides. */
let server: Server;
let port: number;
let sockets: Socket[] = [];
let requests: string[] = [];
/** What is done for each piece that a connection brings: by default, the answer to a whole request. */
let onRequest: (socket: Socket, text: string) => unknown;

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.push(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end === -1 || text.length < end + 4 + length) return;
      requests.push(text);
      const whole = text;
      text = '';
      onRequest(socket, whole);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as { port: number }).port;
});

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const options: TransportOptions = {
  connectTimeoutMs: 2000,
  firstByteTimeoutMs: 2000,
  idleTimeoutMs: 2000,
  keepAliveMs: 4000,
  connections: 8,
  connect: {},
};

const kinds = { plain: PlainTransport, undici: TlsTransport };
const both = Object.entries(kinds);

function made(Kind: typeof PlainTransport | typeof TlsTransport, changes: Partial<TransportOptions> = {}): Transport {
  sockets = [];
  requests = [];
  return new Kind(`http://127.0.0.1:${port}`, { ...options, ...changes });
}

interface Reply {
  status?: number;
  headers: Record<string, unknown>;
  body: string;
  /** How it ended. */
  end: string;
}

const post: TransportRequest = {
  method: 'POST',
  path: '/v1/x',
  headers: { 'content-type': 'application/json' },
  body: '{}',
};

function ask(
  transport: Transport,
  request: TransportRequest = post,
  on: {
    begun?: (sending: RequestHandle) => void;
    data?: (sending: RequestHandle, size: number) => void;
    flush?: () => void;
  } = {},
): Promise<Reply> {
  return new Promise((resolve) => {
    const reply: Reply = { headers: {}, body: '', end: '' };
    const parts: Buffer[] = [];
    let size = 0;
    const over = (end: string): void => {
      expect(reply.end).toBe('');
      reply.end = end;
      reply.body = Buffer.concat(parts).toString('utf8');
      resolve(reply);
    };
    const handler: ReplyHandler = {
      started: (status, headers) => {
        expect(reply.status).toBeUndefined();
        reply.status = status;
        // What undici leaves behind a value is not part of it (RFC 9110, 5.5).
        for (const [name, value] of Object.entries(headers))
          reply.headers[name] = [value].flat().map((one) => one?.trim());
      },
      data: (bytes) => {
        parts.push(Buffer.from(bytes));
        size += bytes.length;
        on.data?.(sending, size);
      },
      flush: () => on.flush?.(),
      ended: () => over('ended'),
      failed: (error) => over(wordFor(error)),
    };
    const sending = transport.send(request, handler);
    on.begun?.(sending);
  });
}

const wordFor = (error: Error): string => {
  const { code = error.name } = error as { code?: string };
  return /^HPE_|^HTTPParserError|CONTENT_LENGTH_MISMATCH/.test(code) ? 'not HTTP' : code;
};

/** Answers with `bytes`, cut into pieces, and closes behind them if `close`. */
const answering =
  (bytes: string, { cut = 0, close = false }: { cut?: number; close?: boolean } = {}) =>
  async (socket: Socket): Promise<void> => {
    const all = Buffer.from(bytes, 'latin1');
    if (cut === 0) socket.write(all);
    else
      for (let at = 0; at < all.length && !socket.destroyed; at += cut) {
        socket.write(all.subarray(at, at + cut));
        await sleep(1);
      }
    if (close) socket.end();
  };

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

/** Replies of servers, good and bad; both transports must make the same of them. */
const replies: Record<string, string> = {
  'a length': `${ok}content-length: 5\r\n\r\nhello`,
  'no body': `${ok}content-length: 0\r\n\r\n`,
  'a length with zeros': `${ok}content-length: 0005\r\n\r\nhello`,
  'status 204': 'HTTP/1.1 204 No Content\r\n\r\n',
  'no reason': 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok',
  'an empty reason': 'HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.0': 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'early hints': `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}content-length: 2\r\n\r\nok`,
  chunks: `${chunked}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`,
  'chunk sizes in capitals and with zeros': `${chunked}00A\r\n0123456789\r\n0\r\n\r\n`,
  'a chunk extension': `${chunked}5;a=b\r\nhello\r\n0\r\n\r\n`,
  'a chunk extension in quotes': `${chunked}5;a="b c"\r\nhello\r\n0;x\r\n\r\n`,
  trailers: `${chunked}2\r\nok\r\n0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n`,
  'an empty chunked body': `${chunked}0\r\n\r\n`,
  'transfer-encoding in capitals': `${ok}Transfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  'gzip, chunked': `${ok}transfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  'headers of one name': `${ok}set-cookie: a\r\nset-cookie: b\r\ncontent-length: 2\r\n\r\nok`,
  'space round a value': `${ok}x:  \t a b \t\r\ncontent-length:2 \r\n\r\nok`,
  'an empty value': `${ok}x:\r\ncontent-length: 2\r\n\r\nok`,
  'utf-8 in a value': `${ok}x: \xc3\xa9\r\ncontent-length: 2\r\n\r\nok`,
  'utf-8 in the body': `${ok}content-length: 2\r\n\r\n\xc3\xa9`,
  'an error': 'HTTP/1.1 503 Busy\r\ncontent-length: 4\r\nretry-after: 1\r\n\r\nbusy',
  'both a length and chunks': `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  'two lengths': `${ok}content-length: 5\r\ncontent-length: 2\r\n\r\nhello`,
  'a length that is none': `${ok}content-length: five\r\n\r\nhello`,
  'a negative length': `${ok}content-length: -5\r\n\r\nhello`,
  'no status line': 'hello\r\n\r\n',
  'another protocol': 'SSH-2.0-OpenSSH_9.0\r\n',
  'another version': 'HTTP/3.7 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'a status of two digits': 'HTTP/1.1 20 OK\r\ncontent-length: 2\r\n\r\nok',
  'a header without a colon': `${ok}nonsense\r\ncontent-length: 2\r\n\r\nok`,
  'a header without a name': `${ok}: x\r\ncontent-length: 2\r\n\r\nok`,
  'space in a name': `${ok}a b: x\r\ncontent-length: 2\r\n\r\nok`,
  'a null byte in a value': `${ok}a: \0\r\ncontent-length: 2\r\n\r\nok`,
  'a chunk size that is none': `${chunked}zz\r\nhello\r\n0\r\n\r\n`,
  'a chunk size with a sign': `${chunked}+5\r\nhello\r\n0\r\n\r\n`,
  'a chunk that is longer than it says': `${chunked}2\r\nhello\r\n0\r\n\r\n`,
};

/** The same, where the server closes behind it. */
const closing: Record<string, string> = {
  'no length': `${ok}content-type: text/plain\r\n\r\nhello`,
  'no length, nothing': `${ok}\r\n`,
  'HTTP/1.0 without a length': 'HTTP/1.0 200 OK\r\n\r\nhello',
  'a length that is not reached': `${ok}content-length: 9\r\n\r\nhello`,
  'chunks without an end': `${chunked}5\r\nhello\r\n`,
  'half a chunk': `${chunked}5\r\nhel`,
  'half a head': 'HTTP/1.1 200 OK\r\ncontent-le',
  nothing: '',
  'connection: close with a length': `${ok}connection: close\r\ncontent-length: 5\r\n\r\nhello`,
};

describe('both transports give the same result for a response', () => {
  for (const [all, close] of [
    [replies, false],
    [closing, true],
  ] as const)
    for (const [name, bytes] of Object.entries(all))
      it(`${name}, whole and cut`, async () => {
        for (const cut of [0, 1, 3, 7]) {
          const found: Reply[] = [];
          for (const [, Kind] of both) {
            const transport = made(Kind);
            onRequest = answering(bytes, { cut, close });
            found.push(await ask(transport));
            transport.destroy();
          }
          expect(found[0], `cut at ${cut}`).toEqual(found[1]);
        }
      });

  it('where undici refuses what RFC 9110 allows, the own transport parses it', async () => {
    const transport = made(PlainTransport);
    onRequest = answering(`HTTP/1.1 100 Continue\r\n\r\n${ok}content-length: 2\r\n\r\nok`);
    expect(await ask(transport)).toMatchObject({ status: 200, body: 'ok', end: 'ended' });
    onRequest = answering('HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n');
    expect(await ask(transport)).toMatchObject({ status: 304, body: '', end: 'ended' });
    transport.destroy();
  });

  it('endless heads, extensions and trailers are refused', async () => {
    for (const endless of [
      `${ok}a: ${'b'.repeat(70_000)}`,
      `${chunked}1;${'b'.repeat(70_000)}`,
      `${chunked}0\r\n${'a: b\r\n'.repeat(20_000)}`,
    ]) {
      const transport = made(PlainTransport);
      onRequest = answering(endless);
      expect((await ask(transport)).end).toBe('not HTTP');
      transport.destroy();
    }
  });

  it('bytes after a response, or without a request, close the connection and corrupt no response', async () => {
    const transport = made(PlainTransport);
    onRequest = answering(`${ok}content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`);
    expect(await ask(transport)).toMatchObject({ body: 'ok', end: 'ended' });
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    await ask(transport);
    sockets.at(-1)?.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil');
    await expect.poll(() => sockets.at(-1)?.destroyed).toBe(true);
    expect(await ask(transport)).toMatchObject({ body: 'ok', end: 'ended' });
    expect(sockets).toHaveLength(3);
    transport.destroy();
  });

  it('responses with random changed bytes end the same way', async () => {
    const seeds = [replies.chunks, replies['a length'], replies.trailers, replies['headers of one name']] as string[];
    let state = 20261120;
    const random = (below: number): number => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state % below;
    };
    for (let round = 0; round < 150; round++) {
      const bytes = [...(seeds[round % seeds.length] as string)];
      for (let times = 1 + random(2); times > 0; times--)
        bytes[random(bytes.length)] = String.fromCharCode([10, 13, 32, 48, 58, 65, 122, 0, 255][random(9)] as number);
      const text = bytes.join('');
      const ends: string[] = [];
      for (const [, Kind] of both) {
        const transport = made(Kind, { idleTimeoutMs: 1000 });
        onRequest = answering(text, { close: true });
        const { end, status, body } = await ask(transport);
        ends.push(end === 'ended' ? `${status} ${body}` : 'failed');
        transport.destroy();
      }
      // Ours may refuse what undici takes, never the other way round, and what both take is the same.
      if (ends[0] !== 'failed') expect(ends[0], JSON.stringify(text)).toBe(ends[1]);
    }
  });
});

describe.each(both)('%s', (_, Kind) => {
  it('sends requests as given, on one connection after the previous request is done', async () => {
    const transport = made(Kind);
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    await ask(transport, { ...post, headers: { a: 'b', authorization: 'Bearer é' }, body: '{"a":"ö"}' });
    await ask(transport, { method: 'GET', path: '/v1/models?x=1', headers: {} });
    await ask(transport, { ...post, body: Buffer.from('bytes') });
    // undici may still be tidying up when the next request comes.
    expect(sockets.length).toBeLessThan(Kind === PlainTransport ? 2 : 3);
    expect(requests[0]).toMatch(/^POST \/v1\/x HTTP\/1\.1\r\n/);
    expect(requests[0]).toMatch(/^host: 127\.0\.0\.1:\d+\r$/m);
    expect(requests[0]).toMatch(/\r\na: b\r\n/);
    expect(requests[0]).toMatch(/\r\nauthorization: Bearer \xe9\r\n/);
    expect(requests[0]).toMatch(/content-length: 10\r\n\r\n\{"a":"\xc3\xb6"\}$/);
    expect(requests[1]).toMatch(/^GET \/v1\/models\?x=1 HTTP\/1\.1\r\n/);
    expect(requests[1]).not.toMatch(/content-length/);
    expect(requests[2]).toMatch(/content-length: 5\r\n\r\nbytes$/);
    transport.destroy();
  });

  it('a large body is sent completely', async () => {
    const transport = made(Kind, { firstByteTimeoutMs: 60_000 });
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    const body = JSON.stringify({ text: 'x'.repeat(3_000_000) });
    await ask(transport, { ...post, body });
    expect(requests[0]?.endsWith(body)).toBe(true);
    transport.destroy();
  });

  it('a header that would inject lines is not sent', async () => {
    const transport = made(Kind);
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    for (const bad of [
      { ...post, headers: { a: 'b\r\nx: y' } },
      { ...post, headers: { 'a\r\nx': 'b' } },
      { ...post, path: '/v1/x HTTP/1.1\r\nx: y' },
    ])
      expect((await ask(transport, bad)).end).toBe('UND_ERR_INVALID_ARG');
    expect(requests).toEqual([]);
    transport.destroy();
  });

  it('concurrent requests have separate connections', async () => {
    const transport = made(Kind);
    const waiting: Socket[] = [];
    onRequest = (socket) => {
      waiting.push(socket);
      if (waiting.length === 5) for (const one of waiting) void answering(`${ok}content-length: 2\r\n\r\nok`)(one);
    };
    const ends = await Promise.all(Array.from({ length: 5 }, async () => (await ask(transport)).end));
    expect(ends).toEqual(Array(5).fill('ended'));
    expect(sockets).toHaveLength(5);
    transport.destroy();
  });

  it('a fresh request gets a connection that no other uses', async () => {
    const transport = made(Kind);
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    await ask(transport);
    await ask(transport, { ...post, fresh: true });
    await ask(transport);
    expect(sockets).toHaveLength(2);
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([false, true]);
    transport.destroy();
  });

  it('a connection that the server closed, or will close, is not reused', async () => {
    const transport = made(Kind);
    onRequest = answering(`${ok}connection: close\r\ncontent-length: 2\r\n\r\nok`, { close: true });
    await ask(transport);
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`, { close: true });
    await ask(transport);
    await expect.poll(() => sockets.at(-1)?.destroyed).toBe(true);
    expect((await ask(transport)).end).toBe('ended');
    expect(sockets).toHaveLength(3);
    transport.destroy();
  });

  it('an idle connection is closed before its server closes it', async () => {
    const transport = made(Kind, { keepAliveMs: 1500 });
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    await ask(transport);
    await expect.poll(() => sockets[0]?.readableEnded, { timeout: 10_000 }).toBe(true);
    expect((await ask(transport)).end).toBe('ended');
    expect(sockets).toHaveLength(2);
    transport.destroy();
  });

  it('reports that nothing listens', async () => {
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done));
    const closedPort = (closed.address() as { port: number }).port;
    await new Promise((done) => closed.close(done));
    const transport = new Kind(`http://127.0.0.1:${closedPort}`, options);
    expect((await ask(transport)).end).toBe('ECONNREFUSED');
    transport.destroy();
  });

  it('a name with two addresses connects to the one that answers', async () => {
    const transport = new Kind(`http://localhost:${port}`, {
      ...options,
      connect: {
        lookup: (_host: string, _options: object, done: (error: null, found: object[]) => void) =>
          done(null, [
            { address: '::1', family: 6 },
            { address: '127.0.0.1', family: 4 },
          ]),
      },
    });
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    expect((await ask(transport)).end).toBe('ended');
    expect(requests.at(-1)).toMatch(/^host: localhost:\d+\r$/m);
    transport.destroy();
  });

  it('a server that does not start, or stops within its body, times out', async () => {
    const transport = made(Kind, { firstByteTimeoutMs: 1200, idleTimeoutMs: 1200 });
    onRequest = () => {};
    const begun = performance.now();
    expect((await ask(transport)).end).toBe('UND_ERR_HEADERS_TIMEOUT');
    expect(performance.now() - begun).toBeGreaterThan(1000);
    onRequest = answering(`${chunked}5\r\nhello\r\n`);
    const cut = await ask(transport);
    expect([cut.end, cut.body]).toEqual(['UND_ERR_BODY_TIMEOUT', 'hello']);
    transport.destroy();
  });

  it.each(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 102 Processing\r\n\r\n', 'H'])(
    'D-39 bytes that are not a head do not reset the timeout: %j again and again',
    async (piece) => {
      const transport = made(Kind, { firstByteTimeoutMs: 1200 });
      let timer: NodeJS.Timeout | undefined;
      onRequest = (socket) => {
        let at = 0;
        const whole = piece.length > 1 ? piece.repeat(500) : 'HTTP/1.1 200 OK\r\n'.padEnd(2000, 'x: y\r\n');
        timer = setInterval(() => {
          const step = piece.length;
          if (!socket.destroyed) socket.write(whole.slice(at, (at += step)));
        }, 60);
      };
      try {
        // undici takes no 100 that it did not ask for.
        expect((await ask(transport)).end).toMatch(/^UND_ERR_(?:HEADERS_TIMEOUT|SOCKET)$/);
      } finally {
        clearInterval(timer);
        transport.destroy();
      }
    },
    60_000,
  );

  it('D-39 endless interim responses are no response: they time out', async () => {
    const transport = made(Kind, { firstByteTimeoutMs: 60_000 });
    let sent = 0;
    onRequest = (socket) => {
      const many = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000);
      const flood = (): void => {
        sent++;
        if (socket.destroyed || sent > 2000) return;
        if (socket.write(many)) setImmediate(flood);
        else socket.once('drain', flood);
      };
      flood();
    };
    expect((await ask(transport)).end).toBe('not HTTP');
    expect(sent).toBeLessThan(500);
    transport.destroy();
  });

  it('an aborted request sends nothing more to its server', async () => {
    const transport = made(Kind);
    onRequest = answering(chunked);
    void ask(transport, post, {
      begun: (sending) => setTimeout(() => sending.abort(), 50),
    });
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
    onRequest = answering(`${ok}content-length: 2\r\n\r\nok`);
    expect((await ask(transport)).end).toBe('ended');
    transport.destroy();
  });

  it('a paused response waits in the server, and loses nothing', async () => {
    const transport = made(Kind, { idleTimeoutMs: 600 });
    const size = 30_000_000;
    let sent = 0;
    onRequest = (socket) => {
      socket.write(`${ok}content-length: ${size}\r\n\r\n`);
      const more = (): void => {
        while (sent < size) {
          sent += 100_000;
          if (!socket.write(Buffer.alloc(100_000, 'x'))) return;
        }
      };
      socket.on('drain', more);
      more();
    };
    let paused = false;
    let sentWhilePaused = 0;
    const reply = await ask(transport, post, {
      data: (sending, have) => {
        if (paused || have < 1_000_000) return;
        paused = true;
        sending.pause();
        setTimeout(() => {
          sentWhilePaused = sent;
          sending.resume();
        }, 1500);
      },
    });
    expect(reply.end).toBe('ended');
    expect(reply.body.length).toBe(size);
    expect(sentWhilePaused).toBeLessThan(size);
    transport.destroy();
  });

  it('the data of one read is flushed once, at its end', async () => {
    const transport = made(Kind);
    const later = ['1\r\nc\r\n', '1\r\nd\r\n0\r\n\r\n'];
    let server: Socket | undefined;
    onRequest = (socket) => {
      server = socket;
      socket.write(`${chunked}1\r\na\r\n1\r\nb\r\n`);
    };
    let log = '';
    await ask(transport, post, {
      data: (_, size) => {
        log += size;
      },
      flush: () => {
        log += '|';
        const next = later.shift();
        if (next !== undefined) server?.write(next);
      },
    });
    expect(log).toBe('12|3|4');
    transport.destroy();
  });

  it('closing lets responses under way finish; destroying ends them immediately', async () => {
    const transport = made(Kind);
    let requestCount = 0;
    let closed = (): void => {};
    onRequest = (socket) => {
      requestCount++;
      closed = () => void answering(`${ok}content-length: 2\r\n\r\nok`)(socket);
    };
    const running = ask(transport);
    await expect.poll(() => requestCount, { interval: 5 }).toBe(1);
    transport.close();
    closed();
    expect((await running).end).toBe('ended');
    const other = made(Kind);
    onRequest = () => void requestCount++;
    const stopped = ask(other);
    await expect.poll(() => requestCount).toBe(2);
    other.destroy();
    expect((await stopped).end).toBe('UND_ERR_DESTROYED');
  });
});
