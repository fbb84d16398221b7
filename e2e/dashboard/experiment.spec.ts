import { startSimulator } from '@callsmith/simulator';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { adminPost, adminRemove, signIn, tabTo } from './steps.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let upstream: { readonly id: string };

test.beforeAll(async ({ product }) => {
  simulator = await startSimulator({ models: ['weak-nothing'] });
  upstream = await adminPost(product, '/api/upstreams', { name: 'tried', baseUrl: simulator.url });
});
test.afterAll(async ({ product }) => {
  await adminRemove(product, `/api/upstreams/${upstream.id}`);
  await simulator.close();
});

test('an experiment is started, kept, and undone', async ({ page, product }) => {
  await signIn(page, product);
  await page.goto(`/models/${await modelId(page)}`);
  const panel = page.getByRole('region', { name: 'Experiment' });
  await panel.getByRole('button', { name: 'Show experiments' }).click();
  await expect(panel).toContainText('No experiments with this model yet.');
  await panel.getByLabel('New conversations (%)').fill('25');
  await panel.getByRole('button', { name: 'Start' }).click();
  await expect(panel).toContainText(/prompt for 25 % of new conversations.*running/);
  await expect(panel).toContainText('too few to compare');
  expect(await accessibilityFaults(page, { include: '[aria-label="Experiment"]' })).toEqual([]);
  await panel.getByRole('button', { name: 'Keep' }).click();
  await expect(panel).toContainText('kept');
  await expect(page.getByRole('table', { name: 'Strategy changes' })).toContainText('Experiment: 0 of 0');
  await panel.getByRole('button', { name: 'Undo' }).click();
  await expect(panel).toContainText('undone');
});

test('by keyboard only: an experiment is started, found again by its address, and undone', async ({
  page,
  product,
}) => {
  await signIn(page, product);
  await page.goto(`/models/${await modelId(page)}`);
  const panel = page.getByRole('region', { name: 'Experiment' });
  const show = panel.getByRole('button', { name: 'Show experiments' });
  await expect(show).toBeVisible();
  await tabTo(page, show);
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('button', { name: 'Hide experiments' })).toBeFocused();
  await tabTo(page, panel.getByLabel('New conversations (%)'));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('40');
  await tabTo(page, panel.getByRole('button', { name: 'Start' }));
  await page.keyboard.press('Enter');
  await expect(panel).toContainText(/for 40 % of new conversations.*running/);
  await page.reload();
  await expect(panel).toContainText(/for 40 % of new conversations.*running/);
  await tabTo(page, panel.getByRole('button', { name: 'Undo' }).first());
  await page.keyboard.press('Enter');
  await expect(panel).not.toContainText('running');
  await expect(panel).toContainText(/for 40 % of new conversations.*undone/);
});

async function modelId(page: Page): Promise<string | undefined> {
  const { items } = (await (await page.request.get('/api/models')).json()) as { items: { id: string; name: string }[] };
  return items.find(({ name }) => name === 'weak-nothing')?.id;
}
