import { createHash } from 'node:crypto';
import { LIMIT_STORE, type LimitStore } from '@callsmith/data/limits';
import { hashKey } from '@callsmith/data/secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const issue = (given: object = {}, as = gateway.cookies.admin) =>
  gateway.send('POST', '/api/keys', { as, body: { teamId: gateway.teams.own, holder: 'Ann', ...given } });

const modelsOf = (secret: string) =>
  gateway.send('GET', '/v1/models', { headers: { authorization: `Bearer ${secret}` } });

describe('a key', () => {
  it('security 4: is shown once, stored as a hash, and works immediately', async () => {
    const { status, body } = await issue();
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^sk-cs-[0-9a-f]{40}$/);
    expect(body.key).toMatchObject({ holder: 'Ann', teamName: 'default', kind: 'issued', allowedModels: null });
    const row = await gateway.prisma.apiKey.findUniqueOrThrow({ where: { id: body.key.id } });
    expect(row.hash).toBe(hashKey(gateway.config.secretKey, body.secret));
    const listed = await gateway.send('GET', '/api/keys', { as: gateway.cookies.admin });
    expect(JSON.stringify(listed.body)).not.toContain(body.secret);
    expect(JSON.stringify(listed.body)).not.toContain(row.hash);
    expect((await modelsOf(body.secret)).status).toBe(200);
    const audited = await gateway.send('GET', `/api/audit?targetId=${body.key.id}`, { as: gateway.cookies.admin });
    expect(audited.body.items).toEqual([
      expect.objectContaining({ action: 'key.issue', actor: 'admin@callsmith.local' }),
    ]);
    expect(JSON.stringify(audited.body)).not.toContain(row.hash);
  });

  it('security 7: is refused as soon as it is revoked', async () => {
    const { body } = await issue();
    const revoked = await gateway.send('DELETE', `/api/keys/${body.key.id}`, { as: gateway.cookies.admin });
    expect(revoked.body.revokedAt).not.toBeNull();
    expect((await modelsOf(body.secret)).status).toBe(401);
    expect((await gateway.send('DELETE', `/api/keys/${body.key.id}`, { as: gateway.cookies.admin })).body).toEqual(
      revoked.body,
    );
  });

  it('is found by its id, revoked or not, by those who may see its team', async () => {
    const { body } = await issue({ holder: 'Eve' });
    const show = (as: string) => gateway.send('GET', `/api/keys/${body.key.id}`, { as });
    expect((await show(gateway.cookies.viewer)).body).toEqual(body.key);
    await gateway.send('DELETE', `/api/keys/${body.key.id}`, { as: gateway.cookies.admin });
    expect((await show(gateway.cookies.admin)).body).toMatchObject({ holder: 'Eve', revokedAt: expect.any(String) });
    const foreign = await issue({ teamId: gateway.teams.other });
    const { status } = await gateway.send('GET', `/api/keys/${foreign.body.key.id}`, { as: gateway.cookies.viewer });
    expect(status).toBe(404);
  });

  it('lists the models that it may use, by name', async () => {
    const { body } = await issue({ allowedModels: ['demo-native'] });
    expect((await modelsOf(body.secret)).body.data.map(({ id }: { id: string }) => id)).toEqual(['demo-native']);
    const wrong = await issue({ allowedModels: ['demo-native', 'gpt-9'] });
    expect(wrong.body.error).toMatchObject({ code: 'invalid_parameter', param: 'allowedModels[1]' });
  });

  it('names every field that is wrong', async () => {
    const wrong = await issue({ holder: ' ', requestsPerMinute: 0, budgetPeriod: 'week' });
    expect(wrong.status).toBe(400);
    expect(wrong.body.error.fields.map(({ path }: { path: string }) => path)).toEqual([
      'holder',
      'requestsPerMinute',
      'budgetPeriod',
    ]);
    const budget = await issue({ tokenBudget: 1000, expiresAt: '2020-01-01T00:00:00Z' });
    expect(budget.body.error.fields.map(({ path }: { path: string }) => path)).toEqual(['expiresAt', 'budgetPeriod']);
  });

  it('a change keeps what it does not name', async () => {
    const { body } = await issue({ tokenBudget: 5_000_000_000, budgetPeriod: 'month', requestsPerMinute: 60 });
    const changed = await gateway.send('PATCH', `/api/keys/${body.key.id}`, {
      as: gateway.cookies.editor,
      body: { holder: 'Ben', requestsPerMinute: null },
    });
    expect(changed.body).toMatchObject({
      holder: 'Ben',
      requestsPerMinute: null,
      tokenBudget: 5_000_000_000,
      budgetPeriod: 'month',
    });
  });

  it('A-1: gets a successor with the same limits, and keeps working during the grace period', async () => {
    const { body: old } = await issue({ allowedModels: ['demo-text'] });
    const as = gateway.cookies.admin;
    const rotated = await gateway.send('POST', `/api/keys/${old.key.id}/rotate`, { as, body: { graceSeconds: 60 } });
    expect(rotated.body.key).toMatchObject({ holder: 'Ann', allowedModels: ['demo-text'], expiresAt: null });
    expect((await modelsOf(old.secret)).status).toBe(200);
    expect((await modelsOf(rotated.body.secret)).status).toBe(200);
    const again = await gateway.send('POST', `/api/keys/${old.key.id}/rotate`, { as, body: {} });
    expect(again.status).toBe(409);
    const { body: other } = await issue();
    await gateway.send('POST', `/api/keys/${other.key.id}/rotate`, { as, body: { graceSeconds: 0 } });
    expect((await modelsOf(other.secret)).status).toBe(401);
  });

  it('security 3: opens no admin route', async () => {
    const { body } = await issue();
    for (const header of ['x-admin-key', 'x-api-key', 'authorization']) {
      const value = header === 'authorization' ? `Bearer ${body.secret}` : body.secret;
      expect((await gateway.send('GET', '/api/keys', { headers: { [header]: value } })).status).toBe(401);
    }
  });
});

describe('keys by link', () => {
  it('A-1: each owner retrieves their own key once; who issued it never sees it', async () => {
    const { body } = await gateway.send('POST', '/api/keys/batch', {
      as: gateway.cookies.editor,
      body: { teamId: gateway.teams.own, holders: ['Cem', 'Dana'], allowedModels: ['demo-native'] },
    });
    expect(JSON.stringify(body)).not.toMatch(/sk-cs-[0-9a-f]{40}/);
    expect(body.issued.map(({ key }: { key: { holder: string } }) => key.holder)).toEqual(['Cem', 'Dana']);
    const link = String(body.issued[0].link);
    expect(link).toMatch(/^http:\/\/localhost:80\/link#[\w-]{32}$/);
    const token = link.split('#')[1];
    const looked = await gateway.send('POST', '/api/links/look', { body: { token } });
    expect(looked.body).toMatchObject({ kind: 'key', email: null });
    expect((await gateway.send('POST', '/api/links/use', { body: { token } })).status).toBe(404);
    const fetched = await gateway.send('POST', '/api/links/key', { body: { token } });
    expect(fetched.body).toMatchObject({
      baseUrl: 'http://localhost:80/v1',
      models: [{ name: 'demo-native', contextLength: 32_768 }],
      key: { storesBodies: true },
      bodyRetentionDays: 7,
    });
    expect((await modelsOf(fetched.body.secret)).status).toBe(200);
    expect((await gateway.send('POST', '/api/links/key', { body: { token } })).body.error.code).toBe('link_not_valid');
    const rows = await gateway.prisma.oneTimeLink.findMany({ where: { keyId: body.issued[0].key.id } });
    expect(rows.map(({ ciphertext }) => ciphertext)).toEqual([null]);
  });
});

describe('teams', () => {
  it('security 6: an editor creates keys only for their own team', async () => {
    expect((await issue({}, gateway.cookies.editor)).status).toBe(200);
    const foreign = await issue({ teamId: gateway.teams.other }, gateway.cookies.editor);
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
    expect((await issue({}, gateway.cookies.viewer)).status).toBe(403);
  });

  it('security 29: keys of another team are not found', async () => {
    const { body } = await issue({ teamId: gateway.teams.other, holder: 'Stranger' });
    const as = gateway.cookies.editor;
    const path = `/api/keys/${body.key.id}`;
    expect((await gateway.send('PATCH', path, { as, body: { holder: 'Mine' } })).status).toBe(404);
    expect((await gateway.send('DELETE', path, { as })).status).toBe(404);
    expect((await gateway.send('POST', `${path}/rotate`, { as, body: {} })).status).toBe(404);
    expect((await gateway.send('GET', `/api/keys?teamId=${gateway.teams.other}`, { as })).status).toBe(404);
    const own = await gateway.send('GET', '/api/keys', { as });
    expect(JSON.stringify(own.body)).not.toContain('Stranger');
    const teams = await gateway.send('GET', '/api/teams', { as });
    expect(teams.body.items.map(({ id }: { id: string }) => id)).toEqual([gateway.teams.own]);
  });

  it('are found by words of their owner’s and team’s names and by their hint, without wildcards', async () => {
    const { body } = await issue({ holder: 'Grace 100%_Hopper' });
    await issue({ holder: 'Grace 1000 Hopper' });
    const found = async (q: string, as = gateway.cookies.admin) => {
      const reply = await gateway.send('GET', `/api/keys?q=${encodeURIComponent(q)}`, { as });
      return reply.body.items.map(({ holder }: { holder: string }) => holder);
    };
    expect(await found('100% grace')).toEqual(['Grace 100%_Hopper']);
    expect(await found(`hopper ${body.key.teamName} 100%`)).toEqual(['Grace 100%_Hopper']);
    expect(await found('0%_h')).toEqual(['Grace 100%_Hopper']);
    expect(await found(body.key.hint)).toContain('Grace 100%_Hopper');
    expect(await found('\\')).toEqual([]);
    const stranger = await issue({ teamId: gateway.teams.other, holder: 'Grace Elsewhere' });
    expect(stranger.status).toBe(200);
    expect(await found('Grace Elsewhere')).toEqual(['Grace Elsewhere']);
    expect(await found('Grace Elsewhere', gateway.cookies.editor)).toEqual([]);
    const long = await gateway.send('GET', `/api/keys?q=${'x'.repeat(201)}`, { as: gateway.cookies.admin });
    expect([long.status, long.body.error.param]).toEqual([400, 'q']);
  });

  it('lists come in pages', async () => {
    for (let n = 0; n < 3; n++) await issue({ holder: `Page ${n}` });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const url: string = `/api/keys?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
      const { body } = await gateway.send('GET', url, { as: gateway.cookies.admin });
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort().reverse());
    const active = await gateway.prisma.apiKey.count({ where: { revokedAt: null } });
    expect(seen).toHaveLength(active);
  });

  it('a name is unique', async () => {
    const as = gateway.cookies.admin;
    const taken = await gateway.send('POST', '/api/teams', { as, body: { name: 'Default' } });
    expect([taken.status, taken.body.error.param]).toEqual([409, 'name']);
    const renamed = await gateway.send('PATCH', `/api/teams/${gateway.teams.other}`, {
      as,
      body: { storesBodies: false },
    });
    expect(renamed.body).toMatchObject({ name: 'other', storesBodies: false });
  });
});

describe('security 26: a budget', () => {
  it('survives rotation: a new key is not a new budget', async () => {
    const issued = await gateway.send('POST', '/api/keys', {
      as: gateway.cookies.editor,
      body: { teamId: gateway.teams.own, holder: 'Spender', tokenBudget: 1_000, budgetPeriod: 'month' },
    });
    const limits = gateway.app.get<LimitStore>(LIMIT_STORE, { strict: false });
    await limits.lease(`budget:${issued.body.key.id}`, 'month', 900, 1_000);
    const rotated = await gateway.send('POST', `/api/keys/${issued.body.key.id}/rotate`, {
      as: gateway.cookies.editor,
      body: { graceSeconds: 0 },
    });
    expect(rotated.status).toBe(200);
    expect(await limits.read(`budget:${rotated.body.key.id}`, 'month')).toBe(900);
  });
});

describe('keys of another system', () => {
  const secret = 'sk-from-LiteLLM-9Zq3xv';
  const digest = (key: string) => createHash('sha256').update(key).digest('hex');
  const take = (keys: object[], given: object = {}, as = gateway.cookies.admin) =>
    gateway.send('POST', '/api/keys/import', { as, body: { teamId: gateway.teams.own, keys, ...given } });

  it('are imported by secret or by SHA-256, stay valid, and their limits apply', async () => {
    const byDigest = 'sk-known-only-by-its-digest';
    const { status, body } = await take(
      [
        { holder: 'Ann', secret },
        { holder: 'Ben', sha256: digest(byDigest).toUpperCase() },
      ],
      { allowedModels: ['demo-native'] },
    );
    expect(status).toBe(200);
    expect(body.duplicates).toEqual([]);
    expect(body.imported).toMatchObject([
      { holder: 'Ann', kind: 'imported', hint: 'sk-…q3xv', allowedModels: ['demo-native'] },
      { holder: 'Ben', kind: 'imported', hint: `SHA-256 …${digest(byDigest).slice(-4)}` },
    ]);
    for (const key of [secret, byDigest])
      expect((await modelsOf(key)).body.data.map(({ id }: { id: string }) => id)).toEqual(['demo-native']);
  });

  it('security 4: are stored peppered; the hash that another system stored opens nothing', async () => {
    const key = 'sk-another-key-of-elsewhere';
    const { body } = await take([{ holder: 'Cem', secret: key }]);
    const { id } = body.imported[0];
    const row = await gateway.prisma.apiKey.findUniqueOrThrow({ where: { id } });
    expect(row.hash).not.toBe(digest(key));
    expect((await modelsOf(digest(key))).status).toBe(401);
    expect((await modelsOf(row.hash)).status).toBe(401);
    const audited = await gateway.prisma.audit.findMany({ where: { targetId: id } });
    expect(audited.map(({ action }) => action)).toEqual(['key.import']);
    for (const word of [key, digest(key), row.hash]) {
      expect(JSON.stringify(audited)).not.toContain(word);
      expect(JSON.stringify(body)).not.toContain(word);
    }
  });

  it('are named if they exist already, in whichever form they come, and the others are imported', async () => {
    const own = (await issue()).body.secret;
    const fresh = 'sk-fresh-and-not-yet-known';
    const { body } = await take([
      { holder: 'again, by digest', sha256: digest(secret) },
      { holder: 'made here', secret: own },
      { holder: 'fresh', secret: fresh },
      { holder: 'twice', sha256: digest(fresh) },
    ]);
    expect(body.imported.map(({ holder }: { holder: string }) => holder)).toEqual(['fresh']);
    expect(body.duplicates.map(({ at, reason }: { at: number; reason: string }) => [at, reason])).toEqual([
      [0, 'exists'],
      [1, 'exists'],
      [3, 'repeated'],
    ]);
    expect((await take([{ holder: 'fresh', secret: fresh }])).body).toMatchObject({
      imported: [],
      duplicates: [{ at: 0, holder: 'fresh', reason: 'exists' }],
    });
  });

  it('no refusal repeats a secret', async () => {
    for (const bad of [
      { holder: 'x', secret: 'shortsecret' },
      { holder: 'x', secret: 'with a blank shortsecret' },
      { holder: 'x', sha256: 'shortsecret' },
      { holder: 'x', secret: 'shortsecret-but-long-enough', sha256: digest('shortsecret') },
      { holder: 'x' },
      { holder: 'x', secret: ['shortsecret'] },
    ]) {
      const { status, body } = await take([bad]);
      expect(status).toBe(400);
      expect(body.error.param).toMatch(/^keys\[0\]/);
      expect(JSON.stringify(body)).not.toContain('shortsecret');
    }
  });

  it('security 6: an editor imports keys only for their own team', async () => {
    const key = { holder: 'x', secret: 'sk-for-the-team-of-others' };
    expect((await take([key], { teamId: gateway.teams.other }, gateway.cookies.editor)).status).toBe(404);
    expect((await take([key], {}, gateway.cookies.viewer)).status).toBe(403);
    expect((await take([key], {}, gateway.cookies.editor)).status).toBe(200);
  });

  it('are rotated into keys of this gateway, and revoked', async () => {
    const key = 'sk-soon-to-be-rotated-here';
    const { body } = await take([{ holder: 'Eva', secret: key }]);
    const as = gateway.cookies.admin;
    const rotated = await gateway.send('POST', `/api/keys/${body.imported[0].id}/rotate`, { as, body: {} });
    expect(rotated.body.key).toMatchObject({ kind: 'issued', holder: 'Eva' });
    expect((await modelsOf(key)).status).toBe(200);
    await gateway.send('DELETE', `/api/keys/${body.imported[0].id}`, { as });
    expect((await modelsOf(key)).status).toBe(401);
  });
});

describe('bulk changes of keys', () => {
  const several = (body: object, as = gateway.cookies.admin) => gateway.send('PATCH', '/api/keys', { as, body });
  const idsOf = async (n: number, given: object = {}) =>
    (await Promise.all(Array.from({ length: n }, () => issue(given)))).map(({ body }) => body.key.id as string);
  const rowOf = (id: string) => gateway.prisma.apiKey.findUniqueOrThrow({ where: { id } });

  it('apply to all, and keep what is not named', async () => {
    const ids = await idsOf(3, { tokensPerMinute: 500 });
    const { status, body } = await several({ ids, change: { requestsPerMinute: 7, allowedModels: ['demo-native'] } });
    expect(status).toBe(200);
    expect(body.changed.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
    for (const one of body.changed)
      expect(one).toMatchObject({ requestsPerMinute: 7, tokensPerMinute: 500, allowedModels: ['demo-native'] });
    const { body: audited } = await gateway.send('GET', `/api/audit?targetId=${ids[0]}`, { as: gateway.cookies.admin });
    expect(audited.items[0]).toMatchObject({ action: 'key.change', after: { requestsPerMinute: 7 } });
  });

  it('move to another team, whose name they show from then on', async () => {
    const ids = await idsOf(2, { requestsPerMinute: 3 });
    const { other } = gateway.teams;
    const { status, body } = await several({ ids, change: { teamId: other } });
    expect(status).toBe(200);
    for (const one of body.changed) expect(one).toMatchObject({ teamId: other, requestsPerMinute: 3 });
    const { body: audited } = await gateway.send('GET', `/api/audit?targetId=${ids[0]}`, { as: gateway.cookies.admin });
    expect(audited.items[0]).toMatchObject({ before: { teamId: gateway.teams.own }, after: { teamId: other } });
  });

  it('are refused for a team that is missing or another’s, and for the installation’s key', async () => {
    const ids = await idsOf(1);
    const none = await several({ ids, change: { teamId: 'team_none' } });
    expect([none.status, none.body.error.param]).toEqual([404, 'change.teamId']);
    expect((await several({ ids, change: { teamId: gateway.teams.other } }, gateway.cookies.editor)).status).toBe(404);
    await gateway.prisma.apiKey.update({ where: { id: ids[0] ?? '' }, data: { kind: 'env' } });
    expect((await several({ ids, change: { teamId: gateway.teams.other } })).status).toBe(409);
    expect(await rowOf(ids[0] ?? '')).toMatchObject({ teamId: gateway.teams.own });
  });

  it('are revoked immediately; one that is revoked already stays as it is', async () => {
    const ids = await idsOf(2);
    await gateway.send('DELETE', `/api/keys/${ids[0]}`, { as: gateway.cookies.admin });
    const { revokedAt } = await rowOf(ids[0] ?? '');
    const { body } = await several({ ids, revoke: true });
    expect(body.changed.map(({ id }: { id: string }) => id)).toEqual([ids[1]]);
    expect((await rowOf(ids[0] ?? '')).revokedAt).toEqual(revokedAt);
    expect((await rowOf(ids[1] ?? '')).revokedAt).not.toBeNull();
  });

  it('are all or nothing: with a key that is revoked, of the file, of another team, or missing, none changes', async () => {
    const [good = '', revoked = '', managed = ''] = await idsOf(3);
    await gateway.send('DELETE', `/api/keys/${revoked}`, { as: gateway.cookies.admin });
    await gateway.prisma.apiKey.update({ where: { id: managed }, data: { managedBy: 'file' } });
    const foreign = (await issue({ teamId: gateway.teams.other })).body.key.id;
    const change = { requestsPerMinute: 9 };
    const editor = gateway.cookies.editor;
    expect((await several({ ids: [good, revoked], change })).status).toBe(409);
    expect((await several({ ids: [good, managed], change })).status).toBe(409);
    expect((await several({ ids: [good, foreign], change }, editor)).status).toBe(404);
    expect((await several({ ids: [good, 'key_none'], change })).body.error).toMatchObject({ param: 'ids[1]' });
    expect((await several({ ids: [good], change: { tokenBudget: 5 } })).body.error.param).toBe('budgetPeriod');
    expect((await several({ ids: [good], change: { holder: 'Bo' } })).status).toBe(400);
    expect((await several({ ids: [good] })).status).toBe(400);
    expect((await several({ ids: [good], change, revoke: true })).status).toBe(400);
    expect((await several({ ids: [good], change }, gateway.cookies.viewer)).status).toBe(403);
    expect(await rowOf(good)).toMatchObject({ requestsPerMinute: null, revokedAt: null });
  });
});
