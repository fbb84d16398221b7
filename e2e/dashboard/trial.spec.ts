import { startSimulator } from '@callsmith/simulator';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, adminPost, adminRemove, chooseByArrows, signIn, tabTo } from './steps.ts';

const button = { name: 'Try on the last 10 failures' };
let slow: Awaited<ReturnType<typeof startSimulator>>;
let upstream: { readonly id: string };

test.beforeAll(async ({ product }) => {
  slow = await startSimulator({
    models: [
      { id: 'slow', as: 'sim-native@first=60000' },
      { id: 'refuses', as: 'sim-refuses-tools' },
    ],
  });
  upstream = await adminPost(product, '/api/upstreams', { name: 'slow', baseUrl: slow.url });
});
test.afterAll(async ({ product }) => {
  await adminRemove(product, `/api/upstreams/${upstream.id}`);
  await slow.close();
});

const modelId = async (page: Page, name: string): Promise<string> => {
  const reply = await page.request.get('/api/models');
  const { items } = (await reply.json()) as { items: { id: string; name: string }[] };
  return items.find((model) => model.name === name)?.id ?? '';
};

test('a trial is canceled by keyboard, and stays in the address', async ({ page, product }) => {
  await signIn(page, product);
  await page.goto(`/models/${await modelId(page, 'slow')}?to=prompt`);
  await tabTo(page, page.getByRole('button', button));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: '0 of 3 requests tried…' })).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Requests tried' })).toHaveAttribute('aria-valuenow', '0');
  await page.reload();
  await expect(page.getByRole('row', { name: /One call/ })).toContainText('pending');
  expect(await accessibilityFaults(page, { include: '[aria-labelledby="trial-title"]' })).toEqual([]);
  await tabTo(page, page.getByRole('button', { name: 'Cancel' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'Cancelled after 0 of 3 requests.' })).toBeVisible();
  await expect(page.getByRole('button', button)).toBeFocused();
  await expect(page.getByRole('row', { name: /One call/ })).toContainText('not tried');
});

test('an upstream that refuses the strategy is quoted; another trial has to wait', async ({ page, product }) => {
  await signIn(page, product);
  await product.changeModel('refuses', { strategy: 'prompt' });
  await page.goto(`/models/${await modelId(page, 'refuses')}?to=native`);
  await page.getByRole('button', button).click();
  const table = page.getByRole('table', { name: 'Trial' });
  await expect(page.getByRole('status').filter({ hasText: 'Done: 3 errors with native.' })).toBeVisible();
  await expect(table.getByRole('row', { name: /Three parallel calls/ })).toContainText('upstream_rejected');
  const id = await modelId(page, 'slow');
  const running = await adminPost<{ id: string }>(product, `/api/models/${id}/trials`, { strategy: 'native' });
  await page.goto(`/models/${id}?to=prompt`);
  await page.getByRole('button', button).click();
  await expect(page.getByRole('alert')).toContainText('Another trial of this model is running.');
  await adminPost(product, `/api/trials/${running.id}/cancel`, {});
  expect(await admin<{ state: string }>(product, `/api/trials/${running.id}`)).toMatchObject({ state: 'cancelled' });
});

test('another dialect is tried before it is chosen', async ({ page, product }) => {
  await signIn(page, product);
  await page.goto(`/models/${await modelId(page, 'refuses')}?to=prompt`);
  const dialect = page.getByRole('combobox', { name: 'Dialect' });
  await dialect.fill('glm-4.5');
  const option = page.getByRole('option', { name: 'glm-4.5', exact: true });
  await chooseByArrows(page, option);
  await expect(option).toBeHidden();
  await expect(dialect).toHaveValue('glm-4.5');
  await page.getByRole('button', button).click();
  await expect(page.getByRole('status').filter({ hasText: 'Done: 3 clean with prompt.' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Trial: prompt, glm-4.5' })).toBeVisible();
});

test('a missing trial is reported as such', async ({ page, product }) => {
  await signIn(page, product);
  await page.goto(`/models/${await modelId(page, 'slow')}?trial=trial_0`);
  await expect(page.getByRole('alert')).toContainText('Trial not found.');
  await expect(page.getByRole('button', button)).toBeVisible();
});
