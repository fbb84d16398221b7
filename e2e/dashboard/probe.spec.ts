import { startSimulator } from '@callsmith/simulator';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, adminPost, adminRemove, signIn, tabTo } from './steps.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let upstream: { readonly id: string };

test.beforeAll(async ({ product }) => {
  simulator = await startSimulator({
    models: ['weak-ignores-tools', { id: 'waiting', as: 'sim-native@first=60000' }],
  });
  upstream = await adminPost(product, '/api/upstreams', { name: 'probed', baseUrl: simulator.url });
});
test.afterAll(async ({ product }) => {
  await adminRemove(product, `/api/upstreams/${upstream.id}`);
  await simulator.close();
});

const modelNamed = async (page: Page, name: string): Promise<{ id: string; strategy: { value: string } }> => {
  const reply = await page.request.get('/api/models');
  const { items } = (await reply.json()) as { items: { id: string; name: string; strategy: { value: string } }[] };
  const found = items.find((model) => model.name === name);
  if (!found) throw new Error(`no model ${name}`);
  return found;
};

test('a probe shows the results of each strategy', async ({ page, product }) => {
  await signIn(page, product);
  const { id } = await modelNamed(page, 'weak-ignores-tools');
  await page.goto(`/models/${id}`);
  const panel = page.getByRole('region', { name: 'Probe' });
  await expect(panel).toContainText('This model has not been probed yet.');
  await tabTo(page, panel.getByRole('button', { name: 'Probe' }));
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('status')).toContainText('Done:', { timeout: 30_000 });
  await expect(panel).toContainText(/Change to (?:strict|prompt with)/);
  const table = panel.getByRole('table', { name: 'Probe' });
  await expect(table.getByRole('row', { name: /^Right/ })).toContainText('100 %');
  await expect(table.getByRole('row', { name: /^1\. One call/ })).toContainText('no call');
  await panel.getByRole('button', { name: 'What the server supports' }).click();
  const takes = panel.getByRole('table', { name: 'What the server supports' });
  await expect(takes.getByRole('row', { name: /^tools/ })).toContainText('without effect');
  expect(await accessibilityFaults(page, { include: '[aria-label="Probe"]' })).toEqual([]);
});

test('a probe’s recommendation is applied, and undone', async ({ page, product }) => {
  await signIn(page, product);
  const { id } = await modelNamed(page, 'weak-ignores-tools');
  await page.goto(`/models/${id}`);
  const panel = page.getByRole('region', { name: 'Probe' });
  await panel.getByRole('button', { name: 'Apply' }).click();
  await expect(
    page.getByText(/weak-ignores-tools uses (?:strict|prompt), starting with the next request\./),
  ).toBeVisible();
  await expect(page.getByRole('table', { name: 'Strategy changes' })).toContainText(
    /Probe: Change to (?:strict|prompt with)/,
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('weak-ignores-tools is back to auto.')).toBeVisible();
  expect((await modelNamed(page, 'weak-ignores-tools')).strategy.value).toBe('auto');
});

test('a probe has a budget, and is cancelled', async ({ page, product }) => {
  await signIn(page, product);
  const { id } = await modelNamed(page, 'waiting');
  await page.goto(`/models/${id}`);
  const panel = page.getByRole('region', { name: 'Probe' });
  await panel.getByRole('button', { name: 'Budget' }).click();
  await panel.getByRole('textbox', { name: 'Requests' }).fill('40');
  await panel.getByRole('button', { name: 'Probe' }).click();
  await expect(panel.getByRole('progressbar', { name: 'Requests answered' })).toHaveAttribute('aria-valuenow', '0');
  const { items } = await admin<{ items: { id: string }[] }>(product, `/api/models/${id}/probes`);
  const { budget } = await admin<{ budget: object }>(product, `/api/probes/${items[0]?.id}`);
  expect(budget).toEqual({ requests: 40, tokens: 400_000, minutes: 10 });
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await expect(panel.getByRole('status')).toContainText(/Cancelled after 0 of \d+/);
});
