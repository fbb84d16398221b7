import { newTurnId } from '@callsmith/data/ids';
import { hashLink } from '@callsmith/data/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessRows } from '../route-access.ts';
import { type Answer, startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const issue = async (overrides: object = {}) => {
  const body = { teamId: gateway.teams.own, holder: 'Ann', ...overrides };
  return (await gateway.send('POST', '/api/keys', { as: gateway.cookies.admin, body })).body;
};

const makeLink = (id: string, as = gateway.cookies.admin) =>
  gateway.send('POST', `/api/keys/${id}/connect-link`, { as });

const tokenOf = (link: Answer): string => String(link.body.link).split('#')[1]!;

const open = (token: string, headers: Record<string, string> = {}) =>
  gateway.send('POST', '/api/connect/session', { body: { token }, headers });

const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie']).split(';')[0]!;

/** The cookie of a key's owner who opened a new link. */
const ownerOf = async (id: string): Promise<string> => cookieOf(await open(tokenOf(await makeLink(id))));

const show = (as: string) => gateway.send('GET', '/api/connect', { as });

const auditOf = async (id: string) =>
  (await gateway.send('GET', `/api/audit?targetId=${id}`, { as: gateway.cookies.admin })).body.items.map(
    ({ action, actor }: { action: string; actor: string }) => `${action} by ${actor}`,
  );

describe('a connect link', () => {
  it('opens the page of its key once, without an account, and is stored as a hash', async () => {
    const { key } = await issue();
    const link = await makeLink(key.id, gateway.cookies.editor);
    expect(link.body.link).toMatch(/^http:\/\/localhost:80\/link#[\w-]{32}$/);
    const hours = (Date.parse(link.body.expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    const token = tokenOf(link);
    const looked = await gateway.send('POST', '/api/links/look', { body: { token } });
    expect(looked.body).toMatchObject({ kind: 'connect', email: null });
    // Neither a look at it nor the endpoints for other links use it up.
    expect((await gateway.send('POST', '/api/links/use', { body: { token } })).status).toBe(404);
    expect((await gateway.send('POST', '/api/links/key', { body: { token } })).status).toBe(404);
    expect((await gateway.send('GET', '/api/connect/session')).status).toBe(404);
    const [first, second] = await Promise.all([open(token), open(token)]);
    expect([first.status, second.status].sort()).toEqual([200, 404]);
    const opened = first.status === 200 ? first : second;
    expect(opened.body).toEqual({});
    expect((await show(cookieOf(opened))).body.key).toMatchObject({ id: key.id, holder: 'Ann' });
    expect((await open(token)).body.error.code).toBe('link_not_valid');
    const secret = cookieOf(opened).split('=')[1]!;
    const kept = JSON.stringify([
      await gateway.prisma.oneTimeLink.findMany(),
      await gateway.prisma.keySession.findMany(),
      await gateway.prisma.audit.findMany(),
    ]);
    expect(kept).not.toContain(token);
    expect(kept).not.toContain(secret);
    expect(await auditOf(key.id)).toEqual([
      `key.connect by ${key.id}`,
      'key.connect-link by editor@example.com',
      'key.issue by admin@callsmith.local',
    ]);
  });

  it('a new link replaces one that was not opened', async () => {
    const { key } = await issue();
    const old = tokenOf(await makeLink(key.id));
    const token = tokenOf(await makeLink(key.id));
    expect((await open(old)).status).toBe(404);
    expect((await open(token)).status).toBe(200);
  });

  it('opens nothing after it has expired', async () => {
    const { key } = await issue();
    const token = tokenOf(await makeLink(key.id));
    await gateway.prisma.oneTimeLink.update({
      where: { hash: hashLink(gateway.config.secretKey, token) },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    expect((await open(token)).status).toBe(404);
  });

  it('security 7: opens nothing once its key was revoked, rotated or has expired, and none is created then', async () => {
    const ends = [
      (id: string) => gateway.send('DELETE', `/api/keys/${id}`, { as: gateway.cookies.admin }),
      (id: string) => gateway.send('POST', `/api/keys/${id}/rotate`, { as: gateway.cookies.admin, body: {} }),
      (id: string) => gateway.prisma.apiKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } }),
    ];
    for (const end of ends) {
      const { key } = await issue();
      const cookie = await ownerOf(key.id);
      const token = tokenOf(await makeLink(key.id));
      expect((await show(cookie)).status).toBe(200);
      await end(key.id);
      expect((await open(token)).status).toBe(404);
      expect((await show(cookie)).status).toBe(401);
      expect((await gateway.send('GET', '/api/connect/requests', { as: cookie })).status).toBe(401);
      expect((await makeLink(key.id)).status).toBe(409);
    }
  });

  it('security 29: is created only by editors of the team and admins', async () => {
    const { key } = await issue();
    const { key: foreign } = await issue({ teamId: gateway.teams.other });
    expect((await makeLink(key.id, gateway.cookies.viewer)).status).toBe(403);
    expect((await makeLink(foreign.id, gateway.cookies.editor)).status).toBe(404);
    expect((await makeLink(key.id, await ownerOf(key.id))).status).toBe(401);
  });

  it('security 23: its cookie is inaccessible to scripts, to other sites and to the admin API', async () => {
    const { key } = await issue();
    const opened = await open(tokenOf(await makeLink(key.id)));
    const set = String(opened.headers['set-cookie']);
    expect(set).toMatch(
      /^callsmith_connect=[\w-]{32}; Path=\/api\/connect; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    const origin = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const token = tokenOf(await makeLink(key.id));
    expect((await open(token, origin)).body.error.code).toBe('cross_origin');
    const body = { graceSeconds: 0 };
    const rotated = await gateway.send('POST', '/api/connect/rotate', { as: cookieOf(opened), body, headers: origin });
    expect(rotated.body.error.code).toBe('cross_origin');
    expect((await open(token)).status).toBe(200);
  });

  it('security 3: its cookie opens no other route, and nothing else opens its routes', async () => {
    const { key, secret } = await issue();
    const cookie = await ownerOf(key.id);
    for (const { method, path, open: who } of accessRows()) {
      if (!path.startsWith('/api/') || who === 'anyone' || who === 'key-owner') continue;
      const write = method !== 'GET' && method !== 'DELETE';
      const url = path.replace(':id', key.id).replace('*', 'none').replace(/:\w+/g, 'none');
      for (const as of [cookie, cookie.replace('callsmith_connect', 'callsmith_session')]) {
        const { status } = await gateway.send(method as 'GET', url, { as, ...(write && { body: {} }) });
        expect(status, `${method} ${path}`).toBe(401);
      }
    }
    expect((await gateway.send('GET', '/v1/models', { as: cookie })).status).toBe(401);
    const session = gateway.cookies.admin.replace('callsmith_session', 'callsmith_connect');
    for (const as of [gateway.cookies.admin, session]) expect((await show(as)).status).toBe(401);
    const headers = { authorization: `Bearer ${secret}`, 'x-admin-key': 'an-admin-key-of-tests' };
    expect((await gateway.send('GET', '/api/connect', { headers })).status).toBe(401);
  });

  it('ends when its owner signs out, or after 30 days', async () => {
    const { key } = await issue();
    const [first, second] = [await ownerOf(key.id), await ownerOf(key.id)];
    const left = await gateway.send('DELETE', '/api/connect/session', { as: first });
    expect(String(left.headers['set-cookie'])).toContain('Path=/api/connect; Max-Age=0');
    expect([(await show(first)).status, (await show(second)).status]).toEqual([401, 200]);
    await gateway.prisma.keySession.updateMany({
      where: { keyId: key.id },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    expect((await show(second)).status).toBe(401);
  });
});

describe('the page of a key’s owner', () => {
  it('shows the key’s limits, usage and models', async () => {
    const { key } = await issue({
      requestsPerMinute: 60,
      allowedModels: ['demo-native'],
      spendBudget: 9_000_000,
      budgetPeriod: 'month',
    });
    const { status, body } = await show(await ownerOf(key.id));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      key: { id: key.id, holder: 'Ann', hint: key.hint, requestsPerMinute: 60 },
      usage: {
        totals: { requests: 0, input_tokens: 0, output_tokens: 0, spend_micros: 0 },
        limits: {
          requests_per_minute: { limit: 60, remaining: 60 },
          budgets: [{ of: 'key', unit: 'spend_micros', period: 'month', limit: 9_000_000, used: 0 }],
        },
      },
      baseUrl: 'http://localhost:80/v1',
      models: [{ name: 'demo-native', contextLength: 32_768 }],
      rotates: true,
    });
    expect(JSON.stringify(body)).not.toContain('hash');
  });

  it('security 29: shows the key’s own requests, none of other keys, and no message content', async () => {
    const { key: mine } = await issue();
    const { key: neighbour } = await issue({ holder: 'Bob' });
    const { key: foreign } = await issue({ teamId: gateway.teams.other, holder: 'Eve' });
    const of = (key: { id: string; teamId: string }, overrides: object) => ({
      keyId: key.id,
      teamId: key.teamId,
      ...overrides,
    });
    await recordTurns(gateway, [
      failedTurn(of(mine, { requestId: 'req_mine', agoMs: 1_000, errorMessage: 'said: attack at dawn' })),
      testTurn(of(mine, { requestId: 'req_older', agoMs: 90_000, totalMs: 77 })),
      testTurn(of(neighbour, { requestId: 'req_neighbour', inputTokens: 987_654 })),
      testTurn(of(foreign, { requestId: 'req_foreign' })),
    ]);
    const as = await ownerOf(mine.id);
    const { body } = await gateway.send('GET', '/api/connect/requests', { as });
    expect(body.items).toHaveLength(2);
    expect(body.items[0]).toEqual({
      id: expect.stringMatching(/^turn_/),
      requestId: 'req_mine',
      at: expect.any(String),
      model: 'demo-native',
      client: 'cline',
      outcome: 'failed',
      classes: ['InvalidJson'],
      status: 200,
      errorCode: null,
      totalMs: 400,
    });
    expect(body.items[1]).toMatchObject({ requestId: 'req_older', totalMs: 77 });
    for (const query of [`?keyId=${neighbour.id}`, `?key=${neighbour.id}`, `?id=${neighbour.id}`])
      expect((await gateway.send('GET', `/api/connect/requests${query}`, { as })).body).toEqual(body);
    const seen = JSON.stringify([body, (await show(as)).body]);
    for (const secret of ['req_neighbour', 'req_foreign', 'Bob', 'Eve', neighbour.id, foreign.id, 'dawn', '987654'])
      expect(seen).not.toContain(secret);
    expect((await show(as)).body.usage.totals).toMatchObject({ requests: 2, input_tokens: 200 });
  });

  it('security 29: suggests a model by the team’s own measurements, and none without enough of them', async () => {
    const { key } = await issue({ allowedModels: ['demo-native'] });
    const { key: foreign } = await issue({ teamId: gateway.teams.other });
    const as = await ownerOf(key.id);
    const { id: modelId } = await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-native' } });
    const turns = (of: { id: string; teamId: string }, count: number, outcome: 'clean' | 'failed') =>
      Array.from({ length: count }, () => {
        const at = new Date(Date.now() - 5_000);
        return { ...testTurn({ outcome }), id: newTurnId(at), modelId, keyId: of.id, teamId: of.teamId };
      });
    const before = (await show(as)).body;
    expect(before.suggested).toBeNull();
    await recordTurns(gateway, turns(foreign, 40, 'failed'));
    expect((await show(as)).body.models).toEqual(before.models);
    await recordTurns(gateway, [...turns(key, 38, 'clean'), ...turns(key, 2, 'failed')]);
    const { body } = await show(as);
    expect(body.suggested).toBe('demo-native');
    expect(body.models[0].valid).toMatchObject({ few: false });
    expect(body.models[0].valid.n).toBeGreaterThanOrEqual(40);
  });
});

describe('rotation by the owner', () => {
  const rotate = (as: string, body: object) => gateway.send('POST', '/api/connect/rotate', { as, body });
  const modelsWith = async (secret: string) =>
    (await gateway.send('GET', '/v1/models', { headers: { authorization: `Bearer ${secret}` } })).status;

  it('shows the new secret once; the old key ends after the grace period, other browsers immediately', async () => {
    const { key, secret: old } = await issue({ requestsPerMinute: 60 });
    const [as, elsewhere] = [await ownerOf(key.id), await ownerOf(key.id)];
    expect((await rotate(as, {})).status).toBe(400);
    const rotated = await rotate(as, { graceSeconds: 3_600 });
    expect(rotated.status).toBe(200);
    expect(rotated.body.key).toMatchObject({ holder: 'Ann', requestsPerMinute: 60 });
    expect([await modelsWith(old), await modelsWith(rotated.body.secret)]).toEqual([200, 200]);
    expect([(await show(as)).status, (await show(elsewhere)).status]).toEqual([401, 401]);
    const own = await show(cookieOf(rotated));
    expect(own.body.key.id).toBe(rotated.body.key.id);
    expect(JSON.stringify(own.body)).not.toContain(rotated.body.secret);
    expect((await auditOf(key.id))[0]).toBe(`key.rotate by ${key.id}`);
    const at0 = await rotate(cookieOf(rotated), { graceSeconds: 0 });
    expect(at0.status).toBe(200);
    expect([await modelsWith(rotated.body.secret), await modelsWith(at0.body.secret)]).toEqual([401, 200]);
  });

  it('is refused for the installation’s key and for keys of the configuration file', async () => {
    const demo = await gateway.prisma.apiKey.findFirstOrThrow({ where: { kind: 'demo' } });
    const { key: filed } = await issue();
    const owners = { demo: await ownerOf(demo.id), filed: await ownerOf(filed.id) };
    await gateway.prisma.apiKey.update({ where: { id: filed.id }, data: { managedBy: 'file' } });
    for (const as of Object.values(owners)) {
      expect((await show(as)).body.rotates).toBe(false);
      expect((await rotate(as, { graceSeconds: 0 })).status).toBe(409);
    }
  });
});

describe('guesses', () => {
  beforeEach(() => gateway.prisma.counter.deleteMany());

  it('security 23: of tokens are limited by address; valid links are not counted', async () => {
    const { key } = await issue();
    for (let n = 0; n < 60; n += 1) await ownerOf(key.id);
    const guess = (n: number) => open(`${'x'.repeat(30)}${n}`);
    const statuses: number[] = [];
    for (let n = 0; n < 51; n += 1) statuses.push((await guess(n)).status);
    expect(statuses).toEqual([...Array<number>(50).fill(404), 429]);
    const refused = await gateway.send('POST', '/api/links/look', { body: { token: 'y'.repeat(32) } });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_attempts']);
    // Sign-in attempts are counted separately.
    const body = { email: 'viewer@example.com', password: 'wrong' };
    expect((await gateway.send('POST', '/api/session', { body })).status).toBe(401);
  });
});
