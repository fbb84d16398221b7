import { startMcpServer, type TestMcpServer } from '../../libs/testing/src/mcp-server.ts';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, signIn } from './steps.ts';

let server: TestMcpServer;
test.beforeAll(async () => {
  server = await startMcpServer([
    {
      name: 'read_file',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      run: () => 'Water the plants.',
    },
  ]);
});
test.afterAll(() => server.close());

const send = (product: Product, method: string, path: string, body: object): Promise<Response> =>
  fetch(product.url + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-admin-key': product.adminKey },
    body: JSON.stringify(body),
  });

/** An agent's request that reads a file by a tool of the server. Returns the request's ID. */
async function agentRequest(product: Product): Promise<string> {
  // All requests without a failure are stored too.
  expect((await send(product, 'PATCH', '/api/settings', { cleanShare: 1 })).status).toBe(200);
  const { items: servers } = await admin<{ items: { name: string }[] }>(product, '/api/mcp-servers');
  if (!servers.some(({ name }) => name === 'disk')) {
    const added = await send(product, 'POST', '/api/mcp-servers', { name: 'disk', url: server.url });
    const { id } = (await added.json()) as { id: string };
    const { items: teams } = await admin<{ items: { id: string; name: string }[] }>(product, '/api/teams');
    const teamId = teams.find(({ name }) => name === 'default')?.id;
    const grants = { teamId, tools: ['read_file'] };
    expect((await send(product, 'PUT', `/api/mcp-servers/${id}/grants`, grants)).status).toBeLessThan(300);
  }
  const newest = async () => {
    const { items } = await admin<{ items: { id: string }[] }>(product, '/api/turns?model=sim-native&limit=1');
    return items[0]?.id;
  };
  const before = await newest();
  const reply = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${product.apiKey}`,
      'content-type': 'application/json',
      'x-callsmith-agent': 'disk',
    },
    body: JSON.stringify({ model: 'sim-native', messages: [{ role: 'user', content: 'Read the file notes.txt' }] }),
  });
  expect(await reply.text()).toContain('Water the plants.');
  await expect.poll(newest).not.toBe(before);
  return (await newest()) ?? '';
}

test('an agent’s request shows its steps and their times, and its rounds, by keyboard', async ({ page, product }) => {
  const id = await agentRequest(product);
  await signIn(page, product, `/failures/${id}`);
  const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText(/Attempt 1.*sim-native.*ms/);
  await expect(rows.nth(1)).toContainText(/Tool call 1 disk: read_file.*ms from/);
  await expect(rows.nth(2)).toContainText('Attempt 2');
  const rounds = page.getByRole('region', { name: 'Rounds', exact: true });
  const first = rounds.getByRole('region', { name: /^Round 1 .*: text$/ });
  await expect(first).toContainText('disk: read_file');
  await expect(first).toContainText('Water the plants.');
  await expect(page.getByRole('region', { name: 'Settings in effect' })).toContainText('Upstream API');
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`a timeline has no accessibility violations and fits 360 pixels, ${colorScheme}`, async ({ page, product }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const id = await agentRequest(product);
    await signIn(page, product, `/failures/${id}`);
    const list = page.getByRole('list', { name: 'Timeline' });
    await expect(list).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    await list.scrollIntoViewIfNeeded();
    await page.screenshot({ path: `.cache/shots/timeline-1280-${colorScheme}.png` });
    await page.setViewportSize({ width: 360, height: 800 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth))
      .toBeLessThanOrEqual(0);
    await list.scrollIntoViewIfNeeded();
    await page.screenshot({ path: `.cache/shots/timeline-360-${colorScheme}.png` });
  });
