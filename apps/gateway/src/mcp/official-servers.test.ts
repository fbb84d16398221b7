import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../admin/test-gateway.ts';

const find = createRequire(import.meta.url);
/** The program of one of the official servers. */
const programOf = (name: 'everything' | 'filesystem'): string =>
  join(dirname(find.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist/index.js');

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'callsmith-servers-')));
/** The folder that the filesystem server may use. */
const sandbox = join(folder, 'sandbox');
const inSandbox = (name: string): string => join(sandbox, name);

let gateway: TestGateway;
let url: string;
let key: string;
let everything: ChildProcess;
let everythingUrl: string;
/** A model without native tools: the requests that it gets, and its next replies. */
let model: Server;
const receivedRequests: string[] = [];
let nextReplies: string[] = [];

beforeAll(async () => {
  mkdirSync(sandbox);
  const file = join(folder, 'servers.json');
  const args = [programOf('filesystem'), sandbox];
  writeFileSync(file, JSON.stringify({ mcpServers: { files: { command: process.execPath, args } } }));
  model = await startModel();
  gateway = await startTestGateway({ MCP_SERVERS_FILE: file });
  await gateway.app.listen(0, '127.0.0.1');
  url = await gateway.app.getUrl();
  const as = gateway.cookies.admin;
  const baseUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  await gateway.send('POST', '/api/upstreams', { as, body: { name: 'scripted', baseUrl } });
  const { status } = await gateway.send('PATCH', '/api/models/scripted-model', {
    as,
    body: { strategy: 'prompt', dialect: 'hermes' },
  });
  expect(status).toBe(200);
  await startEverything();
  const body = { name: 'everything', url: everythingUrl };
  expect((await gateway.send('POST', '/api/mcp-servers', { as, body })).body.health).toMatchObject({ ok: true });
  const teamId = gateway.teams.own;
  key = (await gateway.send('POST', '/api/keys', { as, body: { teamId, holder: 'Ann' } })).body.secret;
  await grant('files', ['list_directory', 'read_text_file', 'write_file']);
  await grant('everything', ['echo', 'get-sum']);
}, 60_000);
afterAll(async () => {
  await gateway?.stop();
  everything?.kill();
  model?.closeAllConnections();
  model?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  receivedRequests.length = 0;
  writeFileSync(inSandbox('a.txt'), 'Water the plants.');
  writeFileSync(inSandbox('b.txt'), '');
});

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
type Body = any;

async function serverNamed(name: string): Promise<Body> {
  const { body } = await gateway.send('GET', '/api/mcp-servers', { as: gateway.cookies.admin });
  return body.items.find((server: Body) => server.name === name);
}

async function grant(name: string, tools: string[]): Promise<void> {
  const toolsOf = async (): Promise<Body[]> => (await serverNamed(name))?.tools ?? [];
  await vi.waitFor(async () => expect(await toolsOf()).not.toEqual([]), { timeout: 20_000 });
  const { id } = await serverNamed(name);
  const how = { as: gateway.cookies.admin, body: { teamId: gateway.teams.own, tools } };
  expect((await gateway.send('PUT', `/api/mcp-servers/${id}/grants`, how)).status).toBe(200);
}

async function startEverything(): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  everything = spawn(process.execPath, [programOf('everything'), 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: 'ignore',
  });
  everythingUrl = `http://127.0.0.1:${port}/mcp`;
  const answers = () =>
    fetch(everythingUrl).then(
      () => true,
      () => false,
    );
  await vi.waitFor(async () => expect(await answers()).toBe(true), { timeout: 20_000 });
}

function startModel(): Promise<Server> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted-model', object: 'model' }] }));
      return;
    }
    if (!request.url?.endsWith('/chat/completions')) {
      response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Body;
    receivedRequests.push(JSON.stringify(body));
    const text = nextReplies.shift() ?? 'Nothing more.';
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    response.setHeader('content-type', 'text/event-stream');
    const half = Math.floor(text.length / 2);
    for (const delta of [{ role: 'assistant' }, { content: text.slice(0, half) }, { content: text.slice(half) }])
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\n`);
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => void answer(request, response));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const call = (name: string, args: object): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
/** Three rounds with the files, the third of which also calls the client's tool; then the end. */
const script = (): string[] => [
  `I look.\n${call('files__list_directory', { path: sandbox })}`,
  `I read.\n${call('files__read_text_file', { path: inSandbox('a.txt') })}`,
  `I write.\n${call('files__write_file', { path: inSandbox('b.txt'), content: 'WATER THE PLANTS.' })}\n${call('ask_user', {})}`,
  'Done.',
];
const input = 'Copy a.txt to b.txt in capitals, and ask me.';
const parameters = { type: 'object' as const, properties: {} };

/** The expectations for every API. */
function checkRounds(): void {
  expect(receivedRequests).toHaveLength(4);
  expect(receivedRequests[1]).toContain('a.txt');
  expect(receivedRequests[2]).toContain('Water the plants.');
  expect(receivedRequests[3]).toContain('the user says yes');
  expect(readFileSync(inSandbox('b.txt'), 'utf8')).toBe('WATER THE PLANTS.');
}

describe('L-5 an agent on a model without native tools, the official filesystem server on this host, streamed', () => {
  it('chat completions', async () => {
    const openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const headers = { 'x-callsmith-agent': 'files' };
    const tools = [{ type: 'function' as const, function: { name: 'ask_user', parameters } }];
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: input }];
    const send = () =>
      openai.chat.completions.stream({ model: 'scripted-model', messages, tools }, { headers }).finalMessage();
    nextReplies = script();
    const first = await send();
    expect(first.content).toMatch(/^I look\.\s+I read\.\s+I write\.\s*$/);
    const [made] = first.tool_calls ?? [];
    expect(made).toMatchObject({ function: { name: 'ask_user' } });
    messages.push(first, { role: 'tool', tool_call_id: made?.id ?? '', content: 'the user says yes' });
    expect((await send()).content).toBe('Done.');
    checkRounds();
  });

  it('responses, with OpenAI’s SDK and a tool of type mcp', async () => {
    const openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'mcp', server_label: 'files', require_approval: 'never' },
      { type: 'function', name: 'ask_user', parameters, strict: false },
    ];
    const send = async (more: object): Promise<Body> => {
      let last: Body;
      const stream = await openai.responses.create({ model: 'scripted-model', tools, ...more, stream: true } as never);
      for await (const event of stream as unknown as AsyncIterable<Body>) last = event;
      return last.response;
    };
    nextReplies = script();
    const first = await send({ input });
    const runs = first.output.filter(({ type }: Body) => type === 'mcp_call');
    expect(runs.map(({ name, error }: Body) => [name, error ?? null])).toEqual([
      ['list_directory', null],
      ['read_text_file', null],
      ['write_file', null],
    ]);
    const made = first.output.find(({ type }: Body) => type === 'function_call');
    expect(made).toMatchObject({ name: 'ask_user' });
    const output = { type: 'function_call_output', call_id: made.call_id, output: 'the user says yes' };
    const next = await send({ input: [output], previous_response_id: first.id });
    expect(next.output.at(-1)).toMatchObject({ type: 'message', content: [{ text: 'Done.' }] });
    checkRounds();
  });

  it('messages', async () => {
    const anthropic = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
    const headers = { 'x-callsmith-agent': 'files' };
    const tools = [{ name: 'ask_user', input_schema: parameters }];
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: input }];
    const send = () =>
      anthropic.messages
        .stream({ model: 'scripted-model', max_tokens: 1_000, messages, tools }, { headers })
        .finalMessage();
    nextReplies = script();
    const first = await send();
    expect(first.stop_reason).toBe('tool_use');
    const made = first.content.find(({ type }) => type === 'tool_use') as Anthropic.ToolUseBlock;
    expect(made.name).toBe('ask_user');
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: made.id, content: 'the user says yes' }] },
    );
    expect((await send()).content).toMatchObject([{ type: 'text', text: 'Done.' }]);
    checkRounds();
  });

  it('a file outside the sandbox is the server’s refusal, which the model reads', async () => {
    nextReplies = [call('files__read_text_file', { path: '/etc/passwd' }), 'It may not be read.'];
    const openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Read /etc/passwd' }];
    const answer = await openai.chat.completions
      .stream({ model: 'scripted-model', messages }, { headers: { 'x-callsmith-agent': 'files' } })
      .finalMessage();
    expect(answer.content).toBe('It may not be read.');
    expect(receivedRequests[1]).toMatch(/Error of the tool read_text_file/);
    expect(receivedRequests[1]).not.toContain('root:');
  });
});

describe('the official “everything” server, which supports the older revisions', () => {
  it('is used by its own revision, and a tool that was not granted is not available', async () => {
    expect(await serverNamed('everything')).toMatchObject({ revision: '2025-11-25', health: { ok: true } });
    expect(await serverNamed('files')).toMatchObject({ origin: 'file', url: null, revision: '2025-11-25' });
    const client = new Client({ name: 'stock', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/everything`), { requestInit }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'get-sum']);
    expect(await client.callTool({ name: 'echo', arguments: { message: 'hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hello' }],
    });
    // The tool returns its environment: none of the gateway's variables is in it.
    await expect(client.callTool({ name: 'get-env', arguments: {} })).rejects.toThrow(
      'has no access to a tool "get-env"',
    );
    await client.close();
  });
});
