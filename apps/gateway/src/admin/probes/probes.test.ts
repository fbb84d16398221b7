import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type api, createClient, routes } from '@callsmith/contracts';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { probeModel } from '../../command/probe.ts';
import { adminKey, startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
const ids = new Map<string, string>();
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  simulator = await startSimulator({
    models: ['weak-ignores-tools', 'weak-nothing', { id: 'slow', as: 'sim-native@first=60000' }],
    keep: 5_000,
  });
  gateway = await startTestGateway();
  const { status } = await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  expect(status).toBe(200);
  for (const { name, id } of (await asAdmin('GET', '/api/models')).body.items) ids.set(name, id);
});
afterEach(async () => {
  for (const { id } of await gateway.prisma.probe.findMany()) await asAdmin('POST', `/api/probes/${id}/cancel`, {});
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { headers: { 'x-admin-key': adminKey }, body });
const as = (role: 'editor' | 'viewer', method: 'GET' | 'POST', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies[role], body });

/** The admin API as a command calls it. */
const admin = createClient<typeof api>(routes, '', async (url, init) => {
  const body = init?.body === undefined ? undefined : (JSON.parse(String(init.body)) as object);
  const reply = await asAdmin(init?.method as 'GET' | 'POST', String(url), body);
  return Response.json(reply.body, { status: reply.status });
});

/** A server that refuses a field, and otherwise forwards to the one behind it. */
async function refusing(field: string, behind: string) {
  let completionCount = 0;
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      if (request.url?.endsWith('/chat/completions')) completionCount++;
      if (body.includes(`"${field}"`)) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: `Unknown parameter: '${field}'.` } }));
        return;
      }
      const sent = request.method === 'POST' ? { method: 'POST', body } : {};
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(new URL(request.url ?? '/', behind), { ...sent, headers });
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' });
      response.end(await reply.text());
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    completionCount: () => completionCount,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function untilOver(id: string) {
  for (let n = 0; n < 1_200; n++) {
    const { body } = await asAdmin('GET', `/api/probes/${id}`);
    if (!['waiting', 'running'].includes(body.state)) return body;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('the probe did not end');
}

describe('a probe', () => {
  it('shows the results of each strategy, what the server accepts, and the recommendation; recorded nowhere, audited', async () => {
    const counters = await gateway.prisma.counter.findMany();
    const { status, body } = await as('editor', 'POST', '/api/models/weak-ignores-tools/probes', { size: 'quick' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ modelId: ids.get('weak-ignores-tools'), upstream: 'gpu', total: 92, problem: null });
    const probe = await untilOver(body.id);
    expect(probe).toMatchObject({ state: 'done', problem: null, done: 92, cause: 'asked' });
    const [native, strict, hermes, tags] = probe.arms;
    expect(strict).toMatchObject({ name: 'strict', right: { n: 23 } });
    expect(native).toMatchObject({ name: 'native', inEffect: true, right: { n: 23 }, triggerF1: 0 });
    for (const arm of [hermes, tags])
      expect(arm).toMatchObject({ inEffect: false, right: { value: 1, n: 23 }, triggerF1: 1, refused: 0 });
    expect(hermes.inputTokens).toBeGreaterThan(native.inputTokens);
    expect(hermes.cases).toHaveLength(20);
    expect(probe.recommendation).toMatchObject({
      arm: expect.any(Number),
      sentence: expect.stringMatching(/^Change to .+: right in 23 of 23 \(86–100 %\), against 5 of 23/),
    });
    expect(probe.failures).toContainEqual({
      arm: 0,
      case: 1,
      streamed: true,
      why: 'no call',
      said: expect.stringMatching(/^You asked: /),
    });
    const support = Object.fromEntries(
      probe.support.map(({ what, support }: { what: string; support: string }) => [what, support]),
    );
    expect(support).toMatchObject({
      tools: 'no effect',
      usage: 'works',
      tokenizer: 'works',
      n: 'works',
      seed: 'taken',
    });
    const { body: audit } = await asAdmin('GET', '/api/audit');
    expect(audit.items.map(({ action }: { action: string }) => action)).toContain('model.probe');
    expect(await gateway.prisma.turn.count()).toBe(0);
    expect(await gateway.prisma.counter.findMany()).toEqual(counters);
    const { body: list } = await as('viewer', 'GET', '/api/models/weak-ignores-tools/probes');
    const { id, state, engineVersion } = probe;
    expect(list.items).toMatchObject([{ id, state, engineVersion, upstream: 'gpu' }]);
    expect(list.items[0]).not.toHaveProperty('arms');
  });

  it('sends no one’s key, at most four requests at a time, and streams only cases 1, 4 and 8', async () => {
    const completionRequests = simulator.requests.filter(({ path }) => path === '/v1/chat/completions');
    expect(completionRequests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    const streamed = completionRequests.filter(({ body }) => (body as { stream?: boolean }).stream === true);
    // four arms, and the check of usage in streams
    expect(streamed).toHaveLength(4 * 3 + 1);
  });

  it('D-37 what the server refuses is left out of later requests, shown with its evidence, and can be cleared', async () => {
    const name = 'particular';
    const behind = await startSimulator({ models: [{ id: name, as: 'weak-nothing' }] });
    const server = await refusing('min_p', behind.url);
    ends.push(() => behind.close(), server.stop);
    await asAdmin('POST', '/api/upstreams', { name: 'particular', baseUrl: server.url });
    const { body } = await as('editor', 'POST', `/api/models/${name}/probes`, { budget: { requests: 30 } });
    await untilOver(body.id);
    const learned = async () => (await as('viewer', 'GET', `/api/models/${name}`)).body.learned;
    const [lesson] = (await learned()).filter(({ what }: { what: string }) => what === 'parameter:min_p');
    expect(lesson).toMatchObject({
      value: 'false',
      reason: expect.stringMatching(/^Probe: min_p was refused \(HTTP 400: .*min_p/),
      upstream: 'particular',
    });
    expect(Date.parse(lesson.expiresAt) - Date.parse(lesson.at)).toBe(30 * 86_400_000);
    const { body: key } = await asAdmin('POST', '/api/keys', { holder: 'Ann', teamId: gateway.teams.own });
    const ask = async () => {
      const { status, headers } = await gateway.send('POST', '/v1/chat/completions', {
        headers: { authorization: `Bearer ${key.secret}` },
        body: { model: name, messages: [{ role: 'user', content: 'Hi' }], min_p: 0.1 },
      });
      return [status, headers['x-callsmith-dropped-parameters'], server.completionCount()];
    };
    const before = server.completionCount();
    expect(await ask()).toEqual([200, 'min_p', before + 1]);
    await gateway.send('DELETE', `/api/models/${name}/learned`, { headers: { 'x-admin-key': adminKey } });
    expect(await learned()).toEqual([]);
    expect((await ask())[2]).toBe(before + 3); // refused, and sent again without it
  });

  it('is visible to viewers, and started and cancelled by editors', async () => {
    expect((await as('viewer', 'POST', '/api/models/weak-nothing/probes', {})).status).toBe(403);
    const { body } = await as('editor', 'POST', '/api/models/slow/probes', { budget: { requests: 30 } });
    expect(body.budget).toEqual({ requests: 30, tokens: 400_000, minutes: 10 });
    expect((await as('viewer', 'GET', `/api/probes/${body.id}`)).status).toBe(200);
    expect((await as('viewer', 'POST', `/api/probes/${body.id}/cancel`, {})).status).toBe(403);
    const again = await as('editor', 'POST', '/api/models/slow/probes', {});
    expect(again).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('cancel it') } } });
    const cancelled = await as('editor', 'POST', `/api/probes/${body.id}/cancel`, {});
    expect(cancelled.body).toMatchObject({ state: 'cancelled', endedAt: expect.any(String) });
  });

  it('is run by `npm run probe`, whose exit code says whether a change is recommended', async () => {
    const progressLines: string[] = [];
    const run = (model: string, signal = new AbortController().signal) =>
      probeModel(
        { model, size: 'quick' },
        { client: admin, progress: (text) => progressLines.push(text), signal, everyMs: 50 },
      );
    const { text: table, exitCode } = await run('weak-nothing');
    expect(exitCode).toBe(0);
    expect(progressLines).toContain('0 of 92 answered');
    expect(table).toMatch(/^ +native \* +strict +prompt with hermes +prompt with qwen3-coder-xml$/m);
    expect(table).toMatch(/^right +100 % \(86 % to 100 %, n=23\)/m);
    expect(table).toMatch(/^8\. Thirty lines .+ 2 of 2 +2 of 2 +2 of 2 +2 of 2$/m);
    expect(table).toMatch(/^tool_choice: none +works$/m);
    expect(table).toMatch(/Stay with native: native was right in 23 of 23 .+ nothing was clearly better\.\n$/);
    expect((await run('weak-ignores-tools')).exitCode).toBe(2);
    expect(await run('slow', AbortSignal.timeout(300))).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('cancelled'),
    });
    await expect(run('none')).rejects.toThrow('There is no model "none".');
  });

  describe('with saved cases', () => {
    const url = '/api/models/weak-ignores-tools/probe-cases';
    const tool = (name: string) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: { times: {}, by: {} } } },
    });
    const request = { messages: [{ role: 'user', content: 'Ring the bell.' }], tools: [tool('ring')] };
    const ring = { kind: 'calls', calls: [{ name: 'ring', arguments: { times: 2 } }] };

    it('sends them as well, shows their titles, and keeps results when they are deleted', async () => {
      const sent = { title: ' Rings twice ', request: { ...request, model: 'x', stream: false }, expects: ring };
      const { status, body: saved } = await asAdmin('POST', url, sent);
      expect(status).toBe(200);
      expect(saved).toMatchObject({ title: 'Rings twice', request, expects: ring });
      // The order of members, too, is as it was.
      expect(JSON.stringify(saved.request)).toBe(JSON.stringify(request));
      expect((await as('viewer', 'GET', url)).body).toEqual({ items: [saved] });
      const quiet = { title: 'Is quiet', request, expects: { kind: 'text', holds: [] } };
      const { body: other } = await asAdmin('POST', url, quiet);
      const { body } = await as('editor', 'POST', '/api/models/weak-ignores-tools/probes', {});
      expect(body.total).toBe(92 + 2 * 4);
      const probe = await untilOver(body.id);
      expect(probe).toMatchObject({ state: 'done', done: 100 });
      expect(probe.cases.slice(20)).toEqual([
        { case: 21, title: 'Rings twice' },
        { case: 22, title: 'Is quiet' },
      ]);
      for (const arm of probe.arms) expect(arm.cases.at(-1)).toMatchObject({ case: 22, n: 1 });
      expect(probe.failures).toContainEqual(expect.objectContaining({ arm: 0, case: 21, why: 'no call' }));
      const received = simulator.requests.filter(({ body: one }) =>
        JSON.stringify(one ?? null).includes('Ring the bell.'),
      );
      expect(received).toHaveLength(8);
      expect(received.every(({ body: one }) => (one as { stream?: boolean }).stream)).toBe(true);
      expect(await asAdmin('DELETE', `/api/probe-cases/${saved.id}`)).toMatchObject({ status: 200, body: {} });
      expect((await asAdmin('DELETE', `/api/probe-cases/${saved.id}`)).status).toBe(404);
      const { body: after } = await asAdmin('GET', `/api/probes/${body.id}`);
      expect(after).toMatchObject({ done: 100, total: 100, arms: probe.arms });
      expect(after.cases[20]).toEqual({ case: 21, title: 'Deleted case' });
      await asAdmin('DELETE', `/api/probe-cases/${other.id}`);
      const { body: audit } = await asAdmin('GET', '/api/audit?targetKind=model');
      const actions = audit.items.map(({ action }: { action: string }) => action);
      expect(actions).toEqual(expect.arrayContaining(['model.probe-case.add', 'model.probe-case.remove']));
    });

    const valid = { title: 'A', request, expects: ring };
    it.each([
      ['title', { ...valid, title: ' ' }],
      ['request.messages', { ...valid, request: { tools: [tool('ring')] } }],
      ['request.messages[0].role', { ...valid, request: { ...request, messages: [{ role: 'x', content: '' }] } }],
      ['request.tools', { ...valid, request: { messages: request.messages } }],
      ['request', { ...valid, request: { ...request, messages: [{ role: 'user', content: 'x'.repeat(65_536) }] } }],
      ['expects.calls[0].name', { ...valid, expects: { kind: 'calls', calls: [{ name: 'rung', arguments: {} }] } }],
      ['expects.names[1]', { ...valid, expects: { kind: 'tools', names: ['ring', 'rung'] } }],
      ['expects.kind', { ...valid, expects: { kind: 'any-call' } }],
      ['expects.calls', { ...valid, expects: { kind: 'calls', calls: [] } }],
      ['unknown', { ...valid, unknown: true }],
    ])('refuses a case with an invalid %s', async (param, body) => {
      expect(await asAdmin('POST', url, body)).toMatchObject({ status: 400, body: { error: { param } } });
    });

    it('masks secrets, and keeps ten cases of a model at most; admins save and delete them', async () => {
      const secret = `sk-${'a1B2c3D4'.repeat(5)}`;
      const content = `Use ${secret}.`;
      const masked = await asAdmin('POST', url, {
        ...valid,
        request: { ...request, messages: [{ role: 'user', content }] },
      });
      expect(JSON.stringify(masked.body)).not.toContain(secret);
      const rest = await Promise.all(Array.from({ length: 12 }, () => asAdmin('POST', url, valid)));
      expect(rest.filter(({ status }) => status === 200)).toHaveLength(9);
      expect(rest.find(({ status }) => status !== 200)).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringContaining('already has 10 saved cases') } },
      });
      expect((await as('editor', 'POST', url, valid)).status).toBe(403);
      const { items } = (await as('viewer', 'GET', url)).body;
      const deleted = gateway.send('DELETE', `/api/probe-cases/${items[0].id}`, { as: gateway.cookies.editor });
      expect((await deleted).status).toBe(403);
      for (const { id } of items) expect((await asAdmin('DELETE', `/api/probe-cases/${id}`)).status).toBe(200);
    });

    it('has none of another model, and loses them with the model', async () => {
      const { body: saved } = await asAdmin('POST', url, valid);
      expect((await as('viewer', 'GET', '/api/models/weak-nothing/probe-cases')).body).toEqual({ items: [] });
      expect((await as('viewer', 'GET', '/api/models/none/probe-cases')).status).toBe(404);
      expect((await asAdmin('POST', '/api/models/none/probe-cases', valid)).status).toBe(404);
      await gateway.prisma.model.delete({ where: { id: ids.get('weak-ignores-tools') ?? '' } });
      expect(await gateway.prisma.probeCase.count({ where: { id: saved.id } })).toBe(0);
    });
  });

  it('refuses unknown members by name', async () => {
    expect((await asAdmin('POST', '/api/models/none/probes', {})).status).toBe(404);
    expect((await asAdmin('GET', '/api/probes/probe_none')).status).toBe(404);
    const elsewhere = await asAdmin('POST', '/api/models/weak-nothing/probes', { upstreamId: 'up_none' });
    expect(elsewhere).toMatchObject({ status: 409, body: { error: { param: 'upstreamId' } } });
    const huge = await asAdmin('POST', '/api/models/weak-nothing/probes', { budget: { requests: 0 } });
    expect(huge).toMatchObject({ status: 400, body: { error: { param: 'budget.requests' } } });
    expect((await asAdmin('POST', '/api/models/weak-nothing/probes', { size: 'endless' })).status).toBe(400);
  });
});
