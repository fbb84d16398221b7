import { expect, test } from '../fixture.ts';
import { admin, askOften, signIn, untilFailed } from './steps.ts';

test('a stored response is re-parsed with its recorded settings and in another dialect, without its model', async ({
  page,
  product,
}) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/failures?model=sim-leaky&class=LeakedCall&view=list');
  const detail = page.getByRole('region', { name: 'Selected failure' });
  await detail.getByRole('button', { name: 'Re-parse…' }).click();
  await expect(page).toHaveURL(/again=then/);
  const panel = detail.getByRole('region', { name: 'Re-parse', exact: true });
  await expect(panel.getByRole('table', { name: 'Re-parse' })).toContainText('no differences');
  await expect(panel.getByRole('region', { name: 'Response to client, re-parsed', exact: true })).toContainText(
    'read_file',
  );
  await panel.getByRole('combobox', { name: 'Dialect' }).click();
  await page.getByRole('option', { name: 'auto', exact: true }).click();
  await expect(page).toHaveURL(/again=auto/);
  await expect(panel.getByRole('table', { name: 'Re-parse' })).toBeVisible();
  await page.reload();
  await expect(panel.getByRole('table', { name: 'Re-parse' })).toContainText('read_file');
  const turn = new URL(page.url()).searchParams.get('turn') ?? (await detail.locator('.mono').first().innerText());
  const { items } = await admin<{ items: { action: string }[] }>(product, `/api/audit?targetId=${turn}`);
  expect(items.map(({ action }) => action)).toContain('turn.replay');
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(page).not.toHaveURL(/again=/);
});

test('all failures of a list are re-parsed, and each links to its own request', async ({ page, product }) => {
  await untilFailed(product, 'sim-flaky', 2);
  await signIn(page, product, '/failures?model=sim-flaky&view=list');
  await page.getByRole('button', { name: 'Re-parse…' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Re-parse' });
  await dialog.getByRole('button', { name: 'Re-parse' }).click();
  await expect(page).toHaveURL(/replay=then/);
  await expect(dialog.getByRole('status')).toContainText(/responses re-parsed: \d+ unchanged\.$/);
  await dialog.getByRole('switch', { name: 'Only differences' }).click();
  await expect(dialog.getByRole('table', { name: 'Re-parse' }).getByRole('row')).toHaveCount(1);
  await dialog.getByRole('switch', { name: 'Only differences' }).click();
  await dialog.getByRole('table', { name: 'Re-parse' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/failures\/turn_.*again=then/);
  await expect(page.getByRole('region', { name: 'Re-parse', exact: true })).toContainText('no differences');
});
