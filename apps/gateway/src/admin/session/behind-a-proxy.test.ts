import { afterAll, beforeAll, expect, it } from 'vitest';
import { password, startTestGateway, type TestGateway } from '../test-gateway.ts';

let plain: TestGateway;
let proxied: TestGateway;
beforeAll(async () => {
  plain = await startTestGateway();
  proxied = await startTestGateway({ TRUST_PROXY: '1', PUBLIC_URL: 'https://gw.example.org/' });
});
afterAll(async () => {
  await plain.stop();
  await proxied.stop();
});

const signIn = (gateway: TestGateway, headers: Record<string, string>) =>
  gateway.send('POST', '/api/session', { body: { email: 'admin@callsmith.local', password }, headers });

it('security 23: the cookie is Secure exactly when the page was loaded by https', async () => {
  const https = { 'x-forwarded-proto': 'https' };
  expect((await signIn(proxied, https)).headers['set-cookie']?.toString()).toMatch(/; Secure$/);
  expect((await signIn(proxied, {})).headers['set-cookie']?.toString()).not.toContain('Secure');
  // No proxy is configured, so its headers are not trusted.
  expect((await signIn(plain, https)).headers['set-cookie']?.toString()).not.toContain('Secure');
});

it('links and snippets use PUBLIC_URL, whatever the Host header says', async () => {
  const { body } = await proxied.send('POST', '/api/users', {
    as: proxied.cookies.admin,
    headers: { host: 'evil.example' },
    body: { email: 'x@example.com', role: 'admin' },
  });
  expect(body.link).toMatch(/^https:\/\/gw\.example\.org\/link#/);
  const me = await plain.send('GET', '/api/session', { as: plain.cookies.viewer, headers: { host: 'gpu-box:4000' } });
  expect(me.body.installation.publicUrl).toBe('http://gpu-box:4000');
});

it('security 23: behind a proxy, writes come from PUBLIC_URL', async () => {
  const write = (origin: string) => signIn(proxied, { origin, host: '10.0.0.7:4000' });
  expect((await write('https://gw.example.org')).status).toBe(200);
  expect((await write('https://gw.example.org.evil.example')).status).toBe(403);
});

it('security 23: sign-in attempts are counted by the client’s own address', async () => {
  const guess = (address: string, n: number) =>
    proxied.send('POST', '/api/session', {
      body: { email: `user${n}@example.com`, password: 'guess-guess' },
      headers: { 'x-forwarded-for': address },
    });
  for (let n = 0; n < 50; n++) await guess('203.0.113.5', n);
  expect((await guess('203.0.113.5', 99)).status).toBe(429);
  expect((await guess('203.0.113.6', 99)).status).toBe(401);
});
