import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMcpServer, type TestMcpServer, type TestTool } from '@callsmith/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { McpConnections, type McpEndpoint } from './connections.ts';
import { readServersFile } from './file-servers.ts';

const add: TestTool = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  run: ({ a, b }) => String(Number(a) + Number(b)),
};
const fails: TestTool = {
  name: 'fails',
  run: () => {
    throw new Error('out of paper');
  },
};
let aborted = false;
const never: TestTool = {
  name: 'never',
  run: (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        aborted = true;
        resolve('');
      });
    }),
};

const slow: TestTool = {
  name: 'slow',
  run: () => new Promise((resolve) => setTimeout(() => resolve('at last'), 600)),
};

let server: TestMcpServer;
let connections: McpConnections;
beforeAll(async () => {
  server = await startMcpServer([add, fails, never, slow]);
  connections = new McpConnections();
});
afterAll(async () => {
  await connections.close();
  await server.close();
});
beforeEach(() => {
  server.received.length = 0;
  delete server.intercept;
});

let count = 0;
const endpoint = (url = server.url, headers: Record<string, string> = {}): McpEndpoint => ({
  id: `mcp_${++count}`,
  version: '1',
  transport: { kind: 'http', url, headers },
});

describe('a server over HTTP', () => {
  it('is used by the newest revision, and its tools are listed and called', async () => {
    const one = endpoint(server.url, { authorization: 'Bearer of-the-server' });
    const { revision, tools } = await connections.list(one, 5_000);
    expect(revision).toBe('2026-07-28');
    expect(tools.map(({ name }) => name)).toEqual(['add', 'fails', 'never', 'slow']);
    expect(tools[0]).toMatchObject({ description: add.description, inputSchema: add.inputSchema });
    expect(await connections.call(one, { name: 'add', args: { a: 2, b: 3 } }, { timeoutMs: 5_000 })).toEqual({
      content: [{ type: 'text', text: '5' }],
      isError: false,
    });
    for (const { authorization } of server.received) expect(authorization).toBe('Bearer of-the-server');
  });

  it('a tool that fails is a result; a missing one is an error, and the connection stays', async () => {
    const one = endpoint();
    expect(await connections.call(one, { name: 'fails', args: {} }, { timeoutMs: 5_000 })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'out of paper' }],
    });
    await expect(connections.call(one, { name: 'nothing', args: {} }, { timeoutMs: 5_000 })).rejects.toThrow('nothing');
    expect((await connections.list(one, 5_000)).tools).toHaveLength(4);
  });

  it('a call that was abandoned, or that takes too long, is canceled there too', async () => {
    const one = endpoint();
    await expect(connections.call(one, { name: 'never', args: {} }, { timeoutMs: 200 })).rejects.toThrow();
    await expect.poll(() => aborted).toBe(true);
    aborted = false;
    const controller = new AbortController();
    const call = connections.call(one, { name: 'never', args: {} }, { timeoutMs: 60_000, signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(call).rejects.toThrow();
    await expect.poll(() => aborted).toBe(true);
  });

  it.each(['stopped', 'late', 'forgotten'])('a call that is %s does not affect others', async (how) => {
    const one = endpoint();
    await connections.list(one, 5_000);
    const other = connections.call(one, { name: 'slow', args: {} }, { timeoutMs: 10_000 });
    const timeoutMs = how === 'late' ? 100 : 60_000;
    const controller = new AbortController();
    const call = connections.call(one, { name: 'never', args: {} }, { timeoutMs, signal: controller.signal });
    if (how === 'forgotten') connections.forget(one.id);
    if (how !== 'late') setTimeout(() => controller.abort(), 100);
    await expect(call).rejects.toThrow();
    expect(await other).toMatchObject({ content: [{ text: 'at last' }] });
    expect((await connections.list(one, 5_000)).tools).toHaveLength(4);
  });

  it('is reached through HTTP_PROXY by its whole URL, and directly if NO_PROXY excludes it', async () => {
    const came: { line: string; authorization: unknown }[] = [];
    const proxy = createServer((incoming, answer) => {
      came.push({ line: `${incoming.method} ${incoming.url}`, authorization: incoming.headers['proxy-authorization'] });
      const { 'proxy-authorization': _, ...headers } = incoming.headers;
      const onward = request(incoming.url ?? '', { method: incoming.method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      });
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const http = `http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const through = new McpConnections({ http, https: undefined, except: undefined });
    expect((await through.list(endpoint(), 5_000)).tools).toHaveLength(4);
    const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(came[0]).toEqual({ line: `POST ${server.url}`, authorization });
    expect(server.received.every((headers) => headers['proxy-authorization'] === undefined)).toBe(true);
    // A proxy does not make a refused address allowed.
    await expect(through.list(endpoint('http://169.254.169.254/mcp'), 5_000)).rejects.toThrow();
    const requestCount = came.length;
    const excepted = new McpConnections({ http, https: undefined, except: 'gpu,127.0.0.0/8' });
    expect((await excepted.list(endpoint(), 5_000)).tools).toHaveLength(4);
    expect(came).toHaveLength(requestCount);
    await Promise.all([through.close(), excepted.close()]);
    proxy.closeAllConnections();
    proxy.close();
  });

  it('is reached through a tunnel of HTTPS_PROXY, which gets only host and port', async () => {
    const came: { line: string; authorization: unknown }[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url, headers }, socket) => {
      came.push({ line: `CONNECT ${url}`, authorization: headers.authorization });
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const https = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const through = new McpConnections({ http: undefined, https, except: undefined });
    const one = endpoint('https://tools.example.com/mcp', { authorization: 'Bearer of-the-server' });
    await expect(through.list(one, 5_000)).rejects.toThrow();
    expect(came[0]).toEqual({ line: 'CONNECT tools.example.com:443', authorization: undefined });
    await through.close();
    proxy.closeAllConnections();
    proxy.close();
  });

  it('security 11: a redirect is not followed, not even to itself', async () => {
    server.intercept = (_, response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
      return true;
    };
    await expect(connections.list(endpoint(), 5_000)).rejects.toThrow('redirect');
  });

  it('security 11: an address of a cloud’s credentials is refused, by number or by name', async () => {
    await expect(connections.list(endpoint('http://169.254.169.254/mcp'), 5_000)).rejects.toThrow('blocked');
    await expect(connections.list(endpoint('http://metadata.google.internal/mcp'), 5_000)).rejects.toThrow('blocked');
  });

  it('an endless reply is cut at its limit', async () => {
    server.intercept = (request, response) => {
      if (request.method !== 'POST') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const part = Buffer.alloc(1024 * 1024, ' ');
      const more = (): void => {
        if (!response.destroyed) response.write(part, () => setImmediate(more));
      };
      more();
      return true;
    };
    await expect(connections.list(endpoint(), 20_000)).rejects.toThrow(/8388608|terminated|closed/);
  });

  it('a missing server is an error, and is contacted again when it is back', async () => {
    const one = endpoint();
    await connections.list(one, 5_000);
    server.intercept = (_, response) => {
      response.destroy();
      return true;
    };
    await expect(connections.list(one, 5_000)).rejects.toThrow();
    delete server.intercept;
    expect((await connections.list(one, 5_000)).tools).toHaveLength(4);
  });
});

describe('OAuth’s client credentials', () => {
  /** An authorization server, and the requests it got. */
  async function issuer(): Promise<{ url: string; sent: string[]; close(): void }> {
    const sent: string[] = [];
    const http = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        sent.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''} ${Buffer.concat(parts)}`);
        const json = (body: object) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        if (request.url?.startsWith('/.well-known/oauth-authorization-server'))
          json({
            issuer: url,
            authorization_endpoint: `${url}/authorize`,
            token_endpoint: `${url}/token`,
            response_types_supported: ['code'],
            grant_types_supported: ['client_credentials'],
          });
        else if (request.url === '/token')
          json({ access_token: 'token-of-the-issuer', token_type: 'Bearer', expires_in: 600 });
        else response.writeHead(404).end();
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return { url, sent, close: () => void http.close() };
  }

  /** The server names the issuer whose tokens it accepts. */
  const protectedBy = (authority: string) => (request: IncomingMessage, response: ServerResponse) => {
    const { origin } = new URL(server.url);
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      const body = { resource: server.url, authorization_servers: [authority] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    }
    if (request.headers.authorization === 'Bearer token-of-the-issuer') return false;
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    return true;
  };
  const withSecret = (url: string): McpEndpoint => ({
    id: `mcp_${++count}`,
    version: '1',
    transport: {
      kind: 'http',
      url: server.url,
      headers: {},
      oauth: { clientId: 'us', clientSecret: 'our-secret', issuer: url },
    },
  });

  it('get a token from the issuer that the admin named', async () => {
    const own = await issuer();
    server.intercept = protectedBy(own.url);
    expect((await connections.list(withSecret(own.url), 5_000)).tools).not.toEqual([]);
    expect(own.sent.some((text) => text.startsWith('POST /token'))).toBe(true);
    own.close();
  });

  it('are never sent to another issuer, whatever the server says', async () => {
    const [own, foreign] = [await issuer(), await issuer()];
    server.intercept = protectedBy(foreign.url);
    await expect(connections.list(withSecret(own.url), 5_000)).rejects.toThrow();
    const secrets = ['our-secret', Buffer.from('us:our-secret').toString('base64')];
    for (const secret of secrets) expect(foreign.sent.join('\n')).not.toContain(secret);
    expect(foreign.sent.filter((text) => text.startsWith('POST'))).toEqual([]);
    own.close();
    foreign.close();
  });
});

describe('a program on this host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-mcp-'));
  const file = join(folder, 'servers.json');
  const program = join(folder, 'server.mjs');
  const server = `
    import { serveStdio } from '${import.meta.resolve('@modelcontextprotocol/server/stdio')}';
    import { Server } from '${import.meta.resolve('@modelcontextprotocol/server')}';
    serveStdio(() => {
      const server = new Server({ name: 'env', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'env', inputSchema: { type: 'object' } }] }));
      server.setRequestHandler('tools/call', () => ({
        content: [{ type: 'text', text: JSON.stringify(Object.keys(process.env).sort()) }],
      }));
      return server;
    });`;

  it('gets its own variables, PATH and HOME, and none of the gateway’s', async () => {
    process.env.SECRET_OF_THE_GATEWAY = 'x';
    writeFileSync(program, server);
    const entry = { command: process.execPath, args: [program], env: { OWN: 'yes' } };
    writeFileSync(file, JSON.stringify({ mcpServers: { env: entry } }));
    const transport = (await readServersFile(file)).get('env');
    if (transport === undefined) throw new Error('no server');
    const one: McpEndpoint = { id: 'mcp_stdio', version: '1', transport };
    expect((await connections.list(one, 10_000)).tools.map(({ name }) => name)).toEqual(['env']);
    const { content } = await connections.call(one, { name: 'env', args: {} }, { timeoutMs: 5_000 });
    const names = JSON.parse((content[0] as { text: string }).text) as string[];
    expect(names).toEqual(expect.arrayContaining(['OWN', 'PATH']));
    expect(
      names.filter((name) => !['OWN', 'PATH', 'HOME'].includes(name) && !/^(__CF|LC_|PWD|SHLVL|_$)/.test(name)),
    ).toEqual([]);
    delete process.env.SECRET_OF_THE_GATEWAY;
  });

  it.each([
    ['nonsense', 'must be JSON with an object "mcpServers"'],
    ['{"mcpServers":{"A b":{"command":"x"}}}', '"A b" is not a valid server name'],
    ['{"mcpServers":{"a":{}}}', 'mcpServers.a.command must be the name of a program'],
    ['{"mcpServers":{"a":{"command":"x","args":"y"}}}', 'mcpServers.a.args must be a list of strings'],
    ['{"mcpServers":{"a":{"command":"x","env":{"A":1}}}}', 'mcpServers.a.env must be an object of strings'],
    ['{"mcpServers":{"a":{"command":"x","url":"y"}}}', 'mcpServers.a.url is not a known field'],
  ])('its file is refused by name: %s', async (text, message) => {
    writeFileSync(file, text);
    await expect(readServersFile(file)).rejects.toThrow(message);
  });
});
