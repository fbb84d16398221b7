import { expect, test } from '../fixture.ts';
import { admin, askOften, signIn, untilFailed } from './steps.ts';

test('a stored answer is read again as then and in another dialect, without its model', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/failures?model=sim-leaky&class=LeakedCall&view=list');
  const detail = page.getByRole('region', { name: 'The chosen failure' });
  await detail.getByRole('button', { name: 'Read again…' }).click();
  await expect(page).toHaveURL(/again=then/);
  const panel = detail.getByRole('region', { name: 'Read again', exact: true });
  await expect(panel.getByRole('table', { name: 'Read again' })).toContainText('nothing differs');
  await expect(panel.getByRole('region', { name: 'What the client would get now', exact: true })).toContainText(
    'read_file',
  );
  await panel.getByRole('combobox', { name: 'Dialect' }).click();
  await page.getByRole('option', { name: 'auto', exact: true }).click();
  await expect(page).toHaveURL(/again=auto/);
  await expect(panel.getByRole('table', { name: 'Read again' })).toBeVisible();
  await page.reload();
  await expect(panel.getByRole('table', { name: 'Read again' })).toContainText('read_file');
  const turn = new URL(page.url()).searchParams.get('turn') ?? (await detail.locator('.mono').first().innerText());
  const { items } = await admin<{ items: { action: string }[] }>(product, `/api/audit?targetId=${turn}`);
  expect(items.map(({ action }) => action)).toContain('turn.replay');
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(page).not.toHaveURL(/again=/);
});

test('all failures of a list are read again, and each leads to its own', async ({ page, product }) => {
  await untilFailed(product, 'sim-flaky', 2);
  await signIn(page, product, '/failures?model=sim-flaky&view=list');
  await page.getByRole('button', { name: 'Read again…' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Read again' });
  await dialog.getByRole('button', { name: 'Read again' }).click();
  await expect(page).toHaveURL(/replay=then/);
  await expect(dialog.getByRole('status')).toContainText(/answers read: \d+ as then\.$/);
  await dialog.getByRole('switch', { name: 'Only what differs' }).click();
  await expect(dialog.getByRole('table', { name: 'Read again' }).getByRole('row')).toHaveCount(1);
  await dialog.getByRole('switch', { name: 'Only what differs' }).click();
  await dialog.getByRole('table', { name: 'Read again' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/failures\/turn_.*again=then/);
  await expect(page.getByRole('region', { name: 'Read again', exact: true })).toContainText('nothing differs');
});
