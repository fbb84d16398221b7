import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UpstreamClient } from '../upstream/upstream-client.ts';
import { apiKey, startProxy, type TestModel, type TestProxy } from './test-proxy.ts';
import { done, json, role, stop, stream, testUpstream, text } from './test-upstream.ts';

const upstream = await testUpstream();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
beforeEach(() => upstream.behave(json(200, { ...answer, count: 3 })));

const answer = {
  id: 'a',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const origin = () => new URL(upstream.baseUrl).origin;

async function gateway(
  entry: TestModel['upstream'],
  parts: { client?: UpstreamClient; kind?: TestModel['kind'] } = {},
): Promise<TestProxy> {
  const { client, kind = 'openai' } = parts;
  const proxy = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl], kind, upstream: entry ?? {} }], {
    ...(client && { client }),
  });
  closing.push(() => proxy.close());
  return proxy;
}

const post = (proxy: TestProxy, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(proxy.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', ...body }),
  });
const messages = [{ role: 'user', content: 'hello' }];
const requestedPaths = async (proxy: TestProxy) => {
  await post(proxy, '/v1/chat/completions', { messages });
  await post(proxy, '/v1/embeddings', { input: 'x' });
  await post(proxy, '/v1/completions', { prompt: 'x' });
  return upstream.received.map(({ url }) => url);
};

describe('a base URL with a path and a query', () => {
  it.each([
    ['/v1beta/openai', '/v1beta/openai', ''],
    ['/openai/deployments/d?api-version=2024-10-21', '/openai/deployments/d', '?api-version=2024-10-21'],
    ['/v1?tenant=a%2Fb&x=1', '/v1', '?tenant=a%2Fb&x=1'],
  ])('%s is the prefix of every request', async (base, path, query) => {
    const proxy = await gateway({ baseUrl: origin() + base });
    expect(await requestedPaths(proxy)).toEqual([
      `${path}/chat/completions${query}`,
      `${path}/embeddings${query}`,
      `${path}/completions${query}`,
    ]);
  });

  it('tokens are counted at the server’s root with the same query and headers', async () => {
    upstream.behave(
      json(200, { ...answer, usage: undefined }),
      json(200, { count: 7 }),
      json(200, { count: 2 }),
      json(200, { count: 2 }),
    );
    const proxy = await gateway(
      { baseUrl: `${origin()}/gpu/v1?t=1`, credential: 'k', credentialHeader: 'x-api-key', headers: { 'X-Team': 'a' } },
      { kind: 'vllm' },
    );
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
    await post(proxy, '/v1/chat/completions', { messages, tools });
    const counted = upstream.received.filter(({ url }) => url === '/gpu/tokenize?t=1');
    expect(counted.length).toBeGreaterThan(0);
    for (const { headers } of counted) expect(headers).toMatchObject({ 'x-api-key': 'k', 'x-team': 'a' });
  });

  it('its query is not shown to clients', async () => {
    const proxy = await gateway({ baseUrl: 'http://127.0.0.1:9/v1?tenant=inner' });
    const { error } = (await (await post(proxy, '/v1/chat/completions', { messages })).json()) as {
      error: { message: string };
    };
    expect(error.message).toContain('http://127.0.0.1:9/v1');
    expect(error.message).not.toContain('inner');
  });
});

describe('headers', () => {
  const received = () => upstream.received.at(-1)?.headers ?? {};

  it.each([
    [{ credential: 'k' }, { authorization: 'Bearer k' }],
    [{ credential: 'k', credentialHeader: 'api-key' }, { 'api-key': 'k' }],
    [{ credential: 'dXNlcjpw', credentialScheme: 'Basic' }, { authorization: 'Basic dXNlcjpw' }],
    [{ credential: 'k', credentialScheme: '' }, { authorization: 'k' }],
    [{ credential: 'k', credentialHeader: 'X-Auth', credentialScheme: 'Token' }, { 'x-auth': 'Token k' }],
    [
      { headers: { 'HTTP-Referer': 'https://a.example', 'User-Agent': 'ours' } },
      { 'http-referer': 'https://a.example', 'user-agent': 'ours' },
    ],
  ])('%j is sent as %j', async (entry, expected) => {
    const proxy = await gateway(entry);
    await post(proxy, '/v1/chat/completions', { messages });
    expect(received()).toMatchObject(expected);
    if (!('authorization' in expected)) expect(received()).not.toHaveProperty('authorization');
    await post(proxy, '/v1/embeddings', { input: 'x' });
    expect(received()).toMatchObject(expected);
  });

  it('none of the client’s are forwarded: no credentials, no cookies, nothing about its connection', async () => {
    const proxy = await gateway({ credential: 'k', credentialHeader: 'api-key', headers: { traceparent: 'own' } });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const body = JSON.stringify({ model: 'm', messages });
      const sent = request(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'x-api-key': apiKey,
          'api-key': apiKey,
          cookie: 'session=1',
          'proxy-authorization': 'Basic eA==',
          'proxy-connection': 'keep-alive',
          te: 'trailers',
          connection: 'close, x-hop',
          'x-hop': '1',
          'x-forwarded-for': '10.0.0.1',
          traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      });
      sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
      sent.on('error', reject).end(body);
    });
    expect(status).toBe(200);
    expect(received()).toMatchObject({ 'api-key': 'k', traceparent: 'own' });
    expect(JSON.stringify(received())).not.toContain(apiKey);
    for (const name of [
      'authorization',
      'x-api-key',
      'cookie',
      'proxy-authorization',
      'proxy-connection',
      'te',
      'x-hop',
      'x-forwarded-for',
    ])
      expect(received()).not.toHaveProperty(name);
  });

  it('upstream headers that the upstream repeats are masked', async () => {
    upstream.behave(json(401, { error: { message: 'bad key secret-header-value or upstream-secret-key' } }));
    const proxy = await gateway({
      credential: 'upstream-secret-key',
      credentialHeader: 'api-key',
      headers: { 'X-Gate': 'secret-header-value' },
    });
    const reply = await (await post(proxy, '/v1/chat/completions', { messages })).text();
    expect(reply).not.toContain('secret-header-value');
    expect(reply).not.toContain('upstream-secret-key');
  });
});

/** A small forward proxy: absolute URLs and CONNECT; tells what came, and lets in by `Proxy-Authorization` only if asked to. */
async function forwardProxy(user?: string) {
  const came: { line: string; authorization: string | undefined; headers: IncomingMessage['headers'] }[] = [];
  const note = (line: string, { headers }: IncomingMessage): boolean => {
    came.push({ line, authorization: headers['proxy-authorization'], headers });
    return user === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(user).toString('base64')}`;
  };
  const server: Server = createServer((incoming, response) => {
    if (!note(`${incoming.method} ${incoming.url}`, incoming)) {
      response.writeHead(407).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const onward = request(incoming.url ?? '', { method: incoming.method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming: IncomingMessage, socket) => {
    if (!note(`CONNECT ${incoming.url}`, incoming)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host, port] = (incoming.url ?? '').split(':');
    const onward = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${user === undefined ? '' : `${user}@`}${host}`, host, came };
}

const through = (http: string | undefined, except?: string, https?: string) =>
  new UpstreamClient({ proxies: { http, https, except } });

describe('an outgoing proxy', () => {
  it('HTTP_PROXY gets the whole URL, and its password goes to no one else; streams arrive in pieces', async () => {
    const { url, came } = await forwardProxy('me:secret');
    const proxy = await gateway({ credential: 'k' }, { client: through(url) });
    expect((await post(proxy, '/v1/chat/completions', { messages })).status).toBe(200);
    upstream.behave(stream(role, text('a'), text('b'), stop, done));
    const streamed = await (await post(proxy, '/v1/chat/completions', { messages, stream: true })).text();
    expect(streamed).toContain('"a"');
    expect(came.map(({ line }) => line)).toEqual(Array(2).fill(`POST ${upstream.baseUrl}/chat/completions`));
    expect(came[0]?.headers).toMatchObject({ host: new URL(upstream.baseUrl).host, authorization: 'Bearer k' });
    expect(upstream.received[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it.each(['127.0.0.1', '*', 'gpu, 127.0.0.0/8', '127.0.0.1:PORT'])(
    'NO_PROXY=%s is contacted directly',
    async (except) => {
      const { url, came } = await forwardProxy();
      const client = through(url, except.replace('PORT', new URL(upstream.baseUrl).port));
      const proxy = await gateway({}, { client });
      expect((await post(proxy, '/v1/chat/completions', { messages })).status).toBe(200);
      expect(came).toEqual([]);
    },
  );

  it('the demo’s server in this process never goes through a proxy', async () => {
    const { url, came } = await forwardProxy();
    const proxy = await gateway({ direct: true }, { client: through(url) });
    expect((await post(proxy, '/v1/chat/completions', { messages })).status).toBe(200);
    expect(came).toEqual([]);
  });

  it('HTTPS_PROXY gets only host and port', async () => {
    const { url, came } = await forwardProxy('me:secret');
    const tls = { baseUrl: upstream.baseUrl.replace('http:', 'https:'), credential: 'k-of-upstream' };
    const proxy = await gateway(tls, { client: through(undefined, undefined, url) });
    const reply = await (await post(proxy, '/v1/chat/completions', { messages })).text();
    // The server behind it speaks no TLS; what matters here is how the proxy was asked.
    expect(reply).toContain('error');
    expect(came[0]).toMatchObject({
      line: `CONNECT ${new URL(upstream.baseUrl).host}`,
      authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    });
    expect(JSON.stringify(came)).not.toContain('k-of-upstream');
  });

  it.each(['http', 'https'])('a proxy that refuses is named, over %s', async (scheme) => {
    const { url, host } = await forwardProxy('me:secret');
    const wrong = url.replace('me:secret', 'me:wrong');
    const entry = { baseUrl: upstream.baseUrl.replace('http:', `${scheme}:`) };
    const proxy = await gateway(entry, { client: through(wrong, undefined, wrong) });
    const reply = await post(proxy, '/v1/chat/completions', { messages });
    const { error } = (await reply.json()) as { error: { message: string; code: string } };
    expect([reply.status, error.code]).toEqual([502, 'upstream_unreachable']);
    expect(error.message).toContain(`the proxy http://${host} answered 407`);
    expect(error.message).not.toContain('wrong');
  });

  it('a proxy that is down is named', async () => {
    const proxy = await gateway({}, { client: through('http://127.0.0.1:9') });
    const { error } = (await (await post(proxy, '/v1/chat/completions', { messages })).json()) as {
      error: { message: string };
    };
    expect(error.message).toContain('(through the proxy http://127.0.0.1:9): connection refused');
  });
});
