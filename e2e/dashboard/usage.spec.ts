import { readFileSync } from 'node:fs';
import { expect, test } from '../fixture.ts';
import { addModel, admin, adminPost, ask, askOften, signIn, tabTo } from './steps.ts';

test('tokens and turns over time, as a chart and as a table', async ({ page, product }) => {
  await askOften(product, 'sim-native', 3);
  await signIn(page, product, '/usage?range=1h');
  await expect(page.getByText(/requests? in the last hour: .* tokens in, .* out/)).toBeVisible();
  const chart = page.getByRole('application', { name: /Tokens in and out over time/ });
  await tabTo(page, chart);
  await page.keyboard.press('End');
  await expect(page.getByText('tokens out', { exact: true }).last()).toBeVisible();
  await page.getByRole('radiogroup', { name: 'Unit' }).getByText('Requests').click();
  await expect(page.getByRole('application', { name: /Requests over time/ })).toBeVisible();
  await page.getByRole('button', { name: 'View as table' }).click();
  await expect(page).toHaveURL(/view=table/);
  await page.reload();
  const table = page.getByRole('table', { name: 'Usage over time' });
  await expect(table.getByRole('columnheader', { name: 'Tokens out' })).toBeVisible();
  await expect(table.getByRole('row').nth(1)).toBeVisible();
});

test('a key shows its share and what remains of its budget, and links to its models', async ({ page, product }) => {
  const { items: teams } = await admin<{ items: { id: string }[] }>(product, '/api/teams');
  const holder = `Hedy ${Date.now()}`;
  const { secret } = await adminPost<{ secret: string }>(product, '/api/keys', {
    teamId: teams[0]?.id,
    holder,
    tokenBudget: 1_000_000,
    budgetPeriod: 'day',
  });
  for (let n = 0; n < 3; n++) expect((await ask(product, 'sim-native', { key: secret })).status).toBe(200);
  await signIn(page, product, '/usage?range=1h');
  await page.getByRole('radiogroup', { name: 'Grouped by' }).getByText('Key').click();
  const row = page.getByRole('table', { name: 'Usage by key' }).getByRole('row').filter({ hasText: holder });
  await expect(row).toContainText('of 1M today', { timeout: 35_000 });
  await expect(row).toContainText('%');

  await row.getByRole('button', { name: holder }).click();
  await expect(page).toHaveURL(/key=key_/);
  const models = page.getByRole('table', { name: 'Usage by model' });
  await expect(models.getByRole('row')).toHaveCount(2);
  await expect(models).toContainText('sim-native');
  await expect(page.getByText(/^3 requests in the last hour/)).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('table', { name: 'Usage by key' })).toBeVisible();
  await page.goForward();
  await page.getByRole('button', { name: 'Clear key filter' }).click();
  await expect(page).not.toHaveURL(/key=key_/);
});

test('the list can be downloaded as CSV, as it is filtered', async ({ page, product }) => {
  await askOften(product, 'sim-native', 1);
  const name = `listed-${Date.now()}`;
  const id = await addModel(product, name, 'sim-leaky');
  await askOften(product, name, 1);
  await signIn(page, product, `/usage?range=1h&model=${id}&by=client`);
  await expect(page.getByRole('table', { name: 'Usage by client' }).getByRole('row')).toHaveCount(2);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV', exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('usage-by-client.csv');
  const rows = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(rows[0]).toMatch(/^id,name,turns,inputTokens/);
  expect(rows).toHaveLength(2);
});

test('with a price, cost over time is a chart and a column, by keyboard', async ({ page, product }) => {
  const name = `costly-${Date.now()}`;
  const id = await addModel(product, name, 'sim-native');
  const price = { input: 1000, output: 1000 };
  const changed = await fetch(`${product.url}/api/models/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-admin-key': product.adminKey },
    body: JSON.stringify({ price }),
  });
  expect(changed.status).toBe(200);
  await askOften(product, name, 2);
  await signIn(page, product, `/usage?range=1h&model=${id}`);
  const unit = page.getByRole('radiogroup', { name: 'Unit' });
  await tabTo(page, unit.getByRole('radio', { name: 'Tokens' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/unit=spend/);
  const chart = page.getByRole('application', { name: /Cost over time/ });
  await tabTo(page, chart);
  await page.keyboard.press('End');
  await expect(page.getByText('cost', { exact: true })).toBeVisible();
  await page.screenshot({ path: '.cache/shots/usage-cost.png' });
  await page.getByRole('button', { name: 'View as table' }).click();
  const table = page.getByRole('table', { name: 'Usage over time' });
  await expect(table.getByRole('columnheader', { name: 'Cost' })).toBeVisible();
  await expect(table.getByRole('row').nth(1)).toContainText('$');
});
