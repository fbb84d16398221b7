import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { admin, ask, signIn, tabTo, untilFailed } from './steps.ts';

const model = 'sim-flaky';

test.beforeEach(async ({ product }) => {
  await product.changeModel(model, { strategy: 'native', reason: 'before a test' });
  await untilFailed(product, model, 3);
});

test.afterEach(async ({ product }) => product.changeModel(model, { strategy: 'native', reason: 'after a test' }));

test('from a failing model to the fix and back to the chart, by mouse', async ({ page, product }) => {
  await signIn(page, product, '/?range=1h');
  await page.getByRole('row').filter({ hasText: model }).getByRole('link', { name: model }).click();
  await expect(page).toHaveURL(new RegExp(`model=${model}`));
  const detail = page.getByRole('region', { name: 'Selected failure' });
  await expect(detail.getByRole('region', { name: 'Model output', exact: true })).toBeVisible();
  await detail.getByRole('link', { name: 'Change strategy…' }).click();
  await expect(page.getByRole('radio', { name: /^prompt/ })).toBeChecked();
  await expect(page.getByLabel('Reason')).toHaveValue(/% of \d+ calls/);
  await page.getByRole('button', { name: 'Try on the last 10 failures' }).click();
  await allClean(page);
  await page.getByRole('button', { name: 'Switch to prompt' }).click();
  await expect(page.getByText(`${model} uses prompt, starting with the next request.`)).toBeVisible();
  expect(await strategyOfNextRequest(product)).toBe('prompt');
  await page.getByRole('button', { name: 'Show chart' }).click();
  await backAtTheChart(page);
});

test('the same path by keyboard only', async ({ page, product }) => {
  await signIn(page, product, '/?range=1h');
  const row = page.getByRole('table', { name: 'Malformed rate by model' }).getByRole('link', { name: model });
  await expect(row).toBeVisible();
  await tabTo(page, row);
  await page.keyboard.press('Enter');
  const change = page.getByRole('region', { name: 'Selected failure' }).getByRole('link', { name: 'Change strategy…' });
  await expect(change).toBeVisible();
  await tabTo(page, change);
  await page.keyboard.press('Enter');
  const trial = page.getByRole('button', { name: 'Try on the last 10 failures' });
  await expect(trial).toBeVisible();
  await tabTo(page, trial);
  await page.keyboard.press('Enter');
  await allClean(page);
  await expect(trial).toBeFocused();
  const button = page.getByRole('button', { name: 'Switch to prompt' });
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  await expect(page.getByText(`${model} uses prompt, starting with the next request.`)).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: 'Show chart' }));
  await page.keyboard.press('Enter');
  await backAtTheChart(page);
});

test('a switch is undone from its toast', async ({ page, product }) => {
  const { id } = await admin<{ id: string }>(product, `/api/models/${model}`);
  await signIn(page, product, `/models/${id}?to=prompt`);
  await page.getByLabel('Reason').fill('trying it out');
  await page.getByRole('button', { name: 'Switch to prompt' }).click();
  await expect(page.getByRole('table', { name: 'Strategy changes' })).toContainText('trying it out');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText(`${model} is back to native.`)).toBeVisible();
  expect(await strategyOfNextRequest(product)).toBe('native');
});

/** The trial's table: every request that failed is clean now. */
async function allClean(page: Page) {
  await expect(
    page.getByRole('status').filter({ hasText: /^Done: \d+ failed as recorded, \d+ clean with prompt/ }),
  ).toBeVisible();
  const rows = page.getByRole('table', { name: 'Trial' }).locator('tbody tr');
  const tried = await rows.count();
  expect(tried).toBeGreaterThanOrEqual(3);
  for (let n = 0; n < tried; n++) {
    await expect(rows.nth(n).getByRole('cell').first()).toContainText('failed');
    await expect(rows.nth(n).getByRole('cell').last()).toContainText(/clean.* in, .* out/);
    await expect(rows.nth(n).getByRole('link')).toHaveAttribute('href', /^\/failures\/turn_/);
  }
  await expect(page.getByRole('table', { name: 'Trial' }).locator('tfoot')).toContainText(`${tried} requests`);
}

async function strategyOfNextRequest(product: Product): Promise<string | null | undefined> {
  const file = `after-${Date.now()}.txt`;
  const since = new Date().toISOString();
  await ask(product, model, { file });
  let used: string | null | undefined;
  await expect
    .poll(async () => {
      const path = `/api/turns?limit=1&model=${model}&from=${encodeURIComponent(since)}`;
      const { items } = await admin<{ items: { strategyUsed: string | null }[] }>(product, path);
      used = items[0]?.strategyUsed;
      return items.length;
    })
    .toBe(1);
  return used;
}

async function backAtTheChart(page: Page) {
  await expect(page.getByRole('heading', { name: `Outcomes of ${model}` })).toBeVisible();
  await expect(page.getByText(new RegExp(`^${model}: prompt`)).first()).toBeVisible();
}
