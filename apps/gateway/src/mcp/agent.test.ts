import { type Simulator, startSimulator } from '@callsmith/simulator';
import { startMcpServer, type TestMcpServer } from '@callsmith/testing';
import type { JsonObject } from '@callsmith/turn';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../admin/test-gateway.ts';

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const files = new Map([['notes.txt', 'Water the plants.']]);
const called: JsonObject[] = [];

let gateway: TestGateway;
let simulator: Simulator;
let server: TestMcpServer;
let key: string;

beforeAll(async () => {
  [gateway, simulator, server] = await Promise.all([
    startTestGateway(),
    startSimulator({ models: ['sim-native', 'sim-refuses-tools'] }),
    startMcpServer([
      {
        name: 'read_file',
        description: 'Reads a file.',
        inputSchema: path,
        run: (args) => {
          called.push(args);
          const text = files.get(String(args.path));
          if (text === undefined) throw new Error(`there is no file ${String(args.path)}`);
          return text;
        },
      },
    ]),
  ]);
  const as = gateway.cookies.admin;
  const team = gateway.teams.own;
  await gateway.send('POST', '/api/upstreams', { as, body: { name: 'sim', baseUrl: `${simulator.url}/v1` } });
  const { body } = await gateway.send('POST', '/api/mcp-servers', { as, body: { name: 'disk', url: server.url } });
  await gateway.send('PUT', `/api/mcp-servers/${body.id}/grants`, { as, body: { teamId: team, tools: ['read_file'] } });
  key = (await gateway.send('POST', '/api/keys', { as, body: { teamId: team, holder: 'Ann' } })).body.secret;
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([simulator.close(), server.close()]);
});

const ask = (model: string, agent: string) =>
  gateway.send('POST', '/v1/chat/completions', {
    headers: { authorization: `Bearer ${key}`, 'x-callsmith-agent': agent },
    body: { model, messages: [{ role: 'user', content: 'Read the file notes.txt' }] },
  });

it.each(['sim-native', 'sim-refuses-tools'])(
  'L-5 an agent on %s reads a file by a tool of a real server, in one response',
  async (model) => {
    called.length = 0;
    const { status, body } = await ask(model, 'disk');
    expect([status, body.choices[0].finish_reason]).toEqual([200, 'stop']);
    expect(body.choices[0].message.content).toContain('Water the plants.');
    expect(called).toEqual([{ path: 'notes.txt' }]);
  },
);

it('L-5 with agent mode off, the server gets no request', async () => {
  called.length = 0;
  const { status } = await ask('sim-native', 'off');
  expect([status, called]).toEqual([200, []]);
});

it('L-5 a server that is not granted is refused by name', async () => {
  const { status, body } = await ask('sim-native', 'elsewhere');
  expect([status, body.error.param]).toEqual([400, 'x-callsmith-agent']);
  expect(body.error.message).toContain('Servers: disk.');
});
