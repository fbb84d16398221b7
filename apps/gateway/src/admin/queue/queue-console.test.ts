import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const as = (role: 'admin' | 'editor') => ({ as: gateway.cookies[role] });

it('security 22: the queue console is for admins', async () => {
  for (const path of ['/api/queue/', '/api/queue/static/favicon.ico', '/api/queue/api/queues']) {
    expect((await gateway.send('GET', path)).body.error.code).toBe('unauthenticated');
    expect((await gateway.send('GET', path, as('editor'))).body.error.code).toBe('forbidden');
    expect((await gateway.send('GET', path, as('admin'))).status).toBe(200);
  }
});

it('its page loads nothing from elsewhere, and its files exist', async () => {
  const { body, headers } = await gateway.send('GET', '/api/queue/', as('admin'));
  expect(headers['content-security-policy']).toContain("script-src 'self';");
  expect(body).toContain('<base href="/api/queue/" />');
  expect(body).not.toMatch(/<%|https?:\/\//);
  const files = [...String(body).matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map((match) => match[1]);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files)
    expect((await gateway.send('GET', `/api/queue/${file}`, as('admin'))).status, file).toBe(200);
});

it('security 22: shows the jobs of the queue, and changes none', async () => {
  const { body } = await gateway.send('GET', '/api/queue/api/queues?activeQueue=callsmith&page=1', as('admin'));
  expect(body.queues).toEqual([expect.objectContaining({ name: 'callsmith', readOnlyMode: true })]);
  expect((await gateway.send('GET', '/api/queue/api/redis/stats', as('admin'))).status).toBe(200);
  for (const path of ['empty', 'pause', 'obliterate'])
    expect((await gateway.send('PUT', `/api/queue/api/queues/callsmith/${path}`, as('admin'))).status).toBe(404);
});
