import { hashLink, newToken } from '@callsmith/data/secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey, password, startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe('signing in', () => {
  it('shows who is signed in, and what the screens need', async () => {
    const { status, body } = await gateway.send('GET', '/api/session', { as: gateway.cookies.viewer });
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        id: expect.stringMatching(/^user_/),
        email: 'viewer@example.com',
        name: null,
        role: 'viewer',
        teamId: gateway.teams.own,
      },
      installation: {
        version: expect.any(String),
        publicUrl: 'http://localhost:80',
        demo: true,
        demoOnly: true,
        bodyRetentionDays: 7,
        currency: 'USD',
      },
      defaultViews: {},
    });
  });

  it('security 23: the cookie is inaccessible to scripts and other sites', async () => {
    const { headers } = await gateway.send('POST', '/api/session', {
      body: { email: 'Admin@Callsmith.local', password },
    });
    expect([headers['set-cookie']].flat()[0]).toMatch(
      /^callsmith_session=[\w-]{32}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    expect(headers['cache-control']).toBe('no-store');
  });

  it('an unknown address and a wrong password get the same response', async () => {
    const answers = await Promise.all(
      ['admin@callsmith.local', 'nobody@example.com'].map((email) =>
        gateway.send('POST', '/api/session', { body: { email, password: 'wrong password' } }),
      ),
    );
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect(answers[0]?.body.error.code).toBe('invalid_credentials');
  });

  it('security 23: guessing is rate limited, by account', async () => {
    const guess = () =>
      gateway.send('POST', '/api/session', { body: { email: 'victim@example.com', password: 'guess-guess' } });
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    const refused = await guess();
    expect(refused.body.error.code).toBe('too_many_attempts');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('signing out ends the session', async () => {
    const signedIn = await gateway.send('POST', '/api/session', { body: { email: 'viewer@example.com', password } });
    const as = String(signedIn.headers['set-cookie']).split(';')[0];
    expect((await gateway.send('DELETE', '/api/session', { as })).status).toBe(200);
    expect((await gateway.send('GET', '/api/session', { as })).body.error.code).toBe('unauthenticated');
  });

  it('security 23: writes from other sites are refused; reads, and writes of other tools, are not', async () => {
    const as = gateway.cookies.admin;
    const from = (headers: Record<string, string>) =>
      gateway.send('POST', '/api/teams', { as, body: { name: `t${Math.random()}` }, headers });
    expect((await from({ origin: 'https://evil.example' })).body.error.code).toBe('cross_origin');
    expect((await from({ origin: 'http://localhost:80', host: 'localhost:80' })).status).toBe(200);
    expect((await from({})).status).toBe(200);
    const login = { body: { email: 'admin@callsmith.local', password }, headers: { origin: 'https://evil.example' } };
    expect((await gateway.send('POST', '/api/session', login)).status).toBe(403);
  });
});

describe('X-Admin-Key', () => {
  it('acts as an admin, and is compared as a whole', async () => {
    const by = (key: string) => gateway.send('GET', '/api/session', { headers: { 'x-admin-key': key } });
    expect((await by(adminKey)).body.user).toMatchObject({ id: 'admin-key', role: 'admin' });
    for (const wrong of [adminKey.slice(0, -1), `${adminKey}x`, '']) expect((await by(wrong)).status).toBe(401);
  });

  it('a wrong one is refused even with a session', async () => {
    const headers = { 'x-admin-key': 'wrong' };
    expect((await gateway.send('GET', '/api/session', { as: gateway.cookies.admin, headers })).status).toBe(401);
  });
});

describe('passwords', () => {
  it('changing it needs the current one, and ends the other sessions', async () => {
    const own = gateway.cookies.editor;
    const other = await gateway.send('POST', '/api/session', { body: { email: 'editor@example.com', password } });
    const otherCookie = String(other.headers['set-cookie']).split(';')[0];
    const wrong = await gateway.send('POST', '/api/session/password', {
      as: own,
      body: { current: 'wrong', password: 'a new password' },
    });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'current']);
    const short = await gateway.send('POST', '/api/session/password', {
      as: own,
      body: { current: password, password: 'short' },
    });
    expect(short.body.error.fields).toEqual([{ path: 'password', message: expect.any(String) }]);
    const done = await gateway.send('POST', '/api/session/password', {
      as: own,
      body: { current: password, password: 'a new password' },
    });
    expect(done.status).toBe(200);
    expect((await gateway.send('GET', '/api/session', { as: own })).status).toBe(200);
    expect((await gateway.send('GET', '/api/session', { as: otherCookie })).status).toBe(401);
  });
});

describe('one-time links', () => {
  it('the link of the first start signs in once', async () => {
    const token = newToken();
    const admin = await gateway.prisma.user.findFirstOrThrow({ where: { role: 'admin' } });
    await gateway.prisma.oneTimeLink.create({
      data: {
        hash: hashLink(gateway.config.secretKey, token),
        kind: 'sign-in',
        userId: admin.id,
        expiresAt: new Date(Date.now() + 60_000),
      },
    });
    const looked = await gateway.send('POST', '/api/links/look', { body: { token } });
    expect(looked.body).toMatchObject({ kind: 'sign-in', email: 'admin@callsmith.local' });
    const uses = await Promise.all([1, 2, 3].map(() => gateway.send('POST', '/api/links/use', { body: { token } })));
    expect(uses.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(uses.find(({ status }) => status === 200)?.headers['set-cookie']?.toString()).toContain(
      'callsmith_session=',
    );
    expect((await gateway.send('POST', '/api/links/look', { body: { token } })).body.error.code).toBe('link_not_valid');
  });

  it('an invitation asks for a password, then the user is signed in', async () => {
    const invited = await gateway.send('POST', '/api/users', {
      as: gateway.cookies.admin,
      body: { email: 'New@Example.com', role: 'editor', teamId: gateway.teams.own },
    });
    expect(invited.body.user).toMatchObject({ email: 'new@example.com', active: false });
    const token = String(invited.body.link).split('#')[1];
    const without = await gateway.send('POST', '/api/links/use', { body: { token } });
    expect([without.status, without.body.error.param]).toEqual([400, 'password']);
    const used = await gateway.send('POST', '/api/links/use', { body: { token, password: 'their own choice' } });
    expect(used.body.user).toMatchObject({ email: 'new@example.com', role: 'editor' });
    const again = await gateway.send('POST', '/api/session', {
      body: { email: 'new@example.com', password: 'their own choice' },
    });
    expect(again.status).toBe(200);
  });

  it('a reset link ends existing sessions', async () => {
    const user = await gateway.prisma.user.findUniqueOrThrow({ where: { email: 'viewer@example.com' } });
    const made = await gateway.send('POST', `/api/users/${user.id}/reset-password`, { as: gateway.cookies.admin });
    const token = String(made.body.link).split('#')[1];
    expect(
      (await gateway.send('POST', '/api/links/use', { body: { token, password: 'another password' } })).status,
    ).toBe(200);
    expect((await gateway.send('GET', '/api/session', { as: gateway.cookies.viewer })).status).toBe(401);
  });
});

// Last, because it leaves an account that strangers are locked out of.
it('security 23: a stranger who guesses does not lock out a browser that signed in before', async () => {
  const email = 'admin@callsmith.local';
  const signIn = (word: string, as?: string) =>
    gateway.send('POST', '/api/session', { body: { email, password: word }, ...(as && { as }) });
  const cookies = [(await signIn(password)).headers['set-cookie']].flat().map((line) => String(line).split(';')[0]);
  const device = cookies.find((cookie) => cookie?.startsWith('callsmith_device='));
  const guesses = await Promise.all(Array.from({ length: 15 }, () => signIn('guess-guess')));
  expect(guesses.map(({ status }) => status)).toContain(429);
  expect((await signIn(password)).status).toBe(429);
  expect((await signIn(password, device)).status).toBe(200);
  expect((await signIn('guess-guess', device)).status).toBe(401);
  // The cookie of one account is invalid for another, and so is a forged one.
  const forged = `callsmith_device=${device?.split('=')[1]?.split('.')[0]}.${'0'.repeat(64)}`;
  expect((await signIn(password, forged)).status).toBe(429);
  const held = await Promise.all(Array.from({ length: 12 }, () => signIn('guess-guess', device)));
  expect(held.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
});
