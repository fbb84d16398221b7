import { startSimulator } from '@callsmith/simulator';
import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { adminPost, adminRemove, signIn } from './steps.ts';

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
  const { items } = (await (await page.request.get('/api/models')).json()) as { items: { id: string; name: string }[] };
  const id = items.find(({ name }) => name === 'weak-nothing')?.id;
  await page.goto(`/models/${id}`);
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
