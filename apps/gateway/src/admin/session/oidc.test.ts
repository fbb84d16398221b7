import { afterAll, beforeAll, expect, it } from 'vitest';
import { password, startTestGateway, type TestGateway } from '../test-gateway.ts';
import { startTestProvider, type TestProvider } from './test-provider.ts';

const PUBLIC_URL = 'http://callsmith.test';

let provider: TestProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startTestProvider({
    ann: { email: 'Ann@Example.com', email_verified: true, name: 'Ann', groups: ['staff', 'ml'] },
    boss: { email: 'boss@example.com', email_verified: true, name: 'Boss', groups: ['platform', 'ml'] },
    guest: { email: 'guest@example.com', email_verified: true, name: 'Guest', groups: ['staff'] },
    viewer: { email: 'viewer@example.com', email_verified: true, name: 'Vera', groups: ['ml'] },
    thief: { email: 'admin@callsmith.local', email_verified: false, name: 'Thief', groups: ['platform'] },
  });
  gateway = await startTestGateway({
    PUBLIC_URL,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'callsmith',
    OIDC_CLIENT_SECRET: 'a-client-secret-of-tests',
    OIDC_ROLES: 'platform=admin, ml=editor:default',
  });
  provider.register({
    id: 'callsmith',
    secret: 'a-client-secret-of-tests',
    redirectUri: `${PUBLIC_URL}/api/oidc/callback`,
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

/** The cookie of that name among those set. */
const cookieOf = (headers: Record<string, string | string[] | undefined>, name: string) =>
  [headers['set-cookie'] ?? []]
    .flat()
    .find((line) => line.startsWith(`${name}=`))
    ?.split(';')[0];

async function begin() {
  const { status, headers } = await gateway.send('GET', '/api/oidc/start');
  expect(status).toBe(302);
  return { url: String(headers.location), pending: cookieOf(headers, 'callsmith_oidc'), headers };
}

async function signIn(login: string) {
  const { url, pending } = await begin();
  const back = new URL(await provider.signIn(url, login));
  return gateway.send('GET', back.pathname + back.search, { as: pending });
}

it('security 25: the authorization request has PKCE, state, nonce and the exact redirect', async () => {
  expect((await gateway.send('GET', '/api/session/ways')).body.oidc).toEqual({
    url: '/api/oidc/start',
    issuer: provider.issuer,
  });
  const { url, headers } = await begin();
  const parameters = new URL(url).searchParams;
  expect(parameters.get('redirect_uri')).toBe(`${PUBLIC_URL}/api/oidc/callback`);
  expect(parameters.get('code_challenge_method')).toBe('S256');
  for (const name of ['state', 'nonce', 'code_challenge']) expect(parameters.get(name)?.length).toBeGreaterThan(20);
  const cookie = String(headers['set-cookie']);
  expect(cookie).toMatch(/; Path=\/api\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/);
  expect(cookie).not.toContain(parameters.get('nonce'));
});

it('creates a user with the group’s role and team, and signs in', async () => {
  const { status, headers } = await signIn('ann');
  expect([status, headers.location]).toEqual([302, '/']);
  const session = await gateway.send('GET', '/api/session', { as: cookieOf(headers, 'callsmith_session') });
  expect(session.body.user).toMatchObject({
    email: 'ann@example.com',
    name: 'Ann',
    role: 'editor',
    teamId: gateway.teams.own,
  });
  await signIn('ann');
  expect(await gateway.prisma.user.count({ where: { email: 'ann@example.com' } })).toBe(1);
  const users = await gateway.send('GET', '/api/users', { as: gateway.cookies.admin });
  expect(users.body.items.find(({ email }: { email: string }) => email === 'ann@example.com')).toMatchObject({
    active: true,
  });
});

it('of several groups the highest role counts; without any of them the user is refused', async () => {
  const boss = await signIn('boss');
  const session = await gateway.send('GET', '/api/session', { as: cookieOf(boss.headers, 'callsmith_session') });
  expect(session.body.user.role).toBe('admin');
  const guest = await signIn('guest');
  expect(guest.headers.location).toBe('/sign-in?oidc=no_group');
  expect(cookieOf(guest.headers, 'callsmith_session')).toBeUndefined();
  expect(await gateway.prisma.user.count({ where: { email: 'guest@example.com' } })).toBe(0);
});

it('security 25: an unverified e-mail address opens no one’s account', async () => {
  const thief = await signIn('thief');
  expect(thief.headers.location).toBe('/sign-in?oidc=address_taken');
  expect(cookieOf(thief.headers, 'callsmith_session')).toBeUndefined();
});

it('an existing account is linked by its verified address, with the group’s role', async () => {
  const { headers } = await signIn('viewer');
  const session = await gateway.send('GET', '/api/session', { as: cookieOf(headers, 'callsmith_session') });
  expect(session.body.user).toMatchObject({ email: 'viewer@example.com', role: 'editor' });
  const still = await gateway.send('POST', '/api/session', { body: { email: 'viewer@example.com', password } });
  expect(still.status).toBe(200);
});

it('a disabled user is refused', async () => {
  const user = await gateway.prisma.user.findUniqueOrThrow({ where: { email: 'ann@example.com' } });
  await gateway.send('PATCH', `/api/users/${user.id}`, { as: gateway.cookies.admin, body: { disabled: true } });
  expect((await signIn('ann')).headers.location).toBe('/sign-in?oidc=disabled');
});

it('security 25: a response for another browser, a changed state, and a code used twice are refused', async () => {
  const first = await begin();
  const back = new URL(await provider.signIn(first.url, 'boss'));
  const elsewhere = await begin();
  const visit = (search: string, as: string | undefined) => gateway.send('GET', back.pathname + search, { as });
  expect((await visit(back.search, undefined)).headers.location).toBe('/sign-in?oidc=expired');
  expect((await visit(back.search, 'callsmith_oidc=abcdefgh.forged')).headers.location).toBe('/sign-in?oidc=expired');
  expect((await visit(back.search, elsewhere.pending)).headers.location).toBe('/sign-in?oidc=refused');
  const changed = new URLSearchParams(back.search);
  changed.set('state', 'x'.repeat(43));
  expect((await visit(`?${changed}`, first.pending)).headers.location).toBe('/sign-in?oidc=refused');
  expect((await visit(back.search, first.pending)).headers.location).toBe('/');
  expect((await visit(back.search, first.pending)).headers.location).toBe('/sign-in?oidc=refused');
});
