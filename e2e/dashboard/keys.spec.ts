import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, adminPost, ask, signIn } from './steps.ts';

/** A whole key, not its masked form. */
const secretText = /^sk-[\w-]{16,}$/;

test('a key is created, works, is shown once, and stops working when revoked', async ({ page, product }) => {
  const holder = `Ada ${Date.now()}`;
  await signIn(page, product, '/keys?issue=one');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(dialog.getByText('Enter an owner.')).toBeVisible();
  await dialog.getByLabel('Owner').fill(holder);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = await dialog.getByText(secretText).first().innerText();
  await expect(dialog).toContainText(`${product.url}/v1`);
  for (const field of ['API Provider', 'Base URL', 'OpenAI Compatible API Key', 'Model ID'])
    await expect(dialog.getByRole('button', { name: `Copy ${field}` })).toBeVisible();
  await dialog.getByRole('tab', { name: 'Codex' }).click();
  await expect(dialog).toContainText('wire_api = "responses"');
  expect((await ask(product, 'sim-native', { key: secret })).status).toBe(200);

  await dialog.getByRole('button', { name: 'Done, I have copied it' }).click();
  await page.reload();
  await expect(page.getByText(secret)).toHaveCount(0);
  await page.getByRole('button', { name: `Actions for the key of ${holder}` }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText(`The key of ${holder} is revoked.`)).toBeVisible();
  await expect
    .poll(async () => (await ask(product, 'sim-native', { key: secret })).status, { timeout: 6_000 })
    .toBe(401);
  await expect(page.getByRole('row').filter({ hasText: holder })).toHaveCount(0);
  await page.getByRole('switch', { name: 'Show revoked' }).click();
  await expect(page.getByRole('row').filter({ hasText: holder })).toContainText('Revoked');
});

test('keys for several people are handed over by links that work once', async ({ page, product, browser }) => {
  const [first, second] = [`Grace ${Date.now()}`, `Linus ${Date.now()}`];
  await signIn(page, product, '/keys?issue=many');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Owners').fill(`${first}\n\n${second}\n`);
  await dialog.getByRole('button', { name: 'Create 2 keys' }).click();
  const link = await dialog
    .getByText(/\/link#/)
    .first()
    .innerText();
  const ownerPage = await browser.newPage();
  await ownerPage.goto(link);
  await ownerPage.getByRole('button', { name: 'Show key' }).click();
  await expect(ownerPage.getByRole('heading', { name: `Key for ${first}` })).toBeVisible();
  const secret = await ownerPage.getByText(secretText).first().innerText();
  expect((await ask(product, 'sim-native', { key: secret })).status).toBe(200);
  await ownerPage.reload();
  await expect(ownerPage.getByText('This link no longer works')).toBeVisible();
  await ownerPage.close();
});

test('limits are set and shown, a rotated key gets a successor', async ({ page, product }) => {
  const holder = `Margaret ${Date.now()}`;
  await signIn(page, product, '/keys?issue=one');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Owner').fill(holder);
  await dialog.getByRole('button', { name: 'Limits' }).click();
  await dialog.getByLabel('Requests per minute').fill('60');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'Done, I have copied it' }).click();
  await expect(page.getByRole('row').filter({ hasText: holder })).toContainText('60 requests/min');
  await page.getByRole('button', { name: `Actions for the key of ${holder}` }).click();
  await page.getByRole('menuitem', { name: 'Rotate…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const secret = await page.getByRole('dialog').getByText(secretText).first().innerText();
  expect((await ask(product, 'sim-native', { key: secret })).status).toBe(200);
});

test('several keys get the same limits and are revoked together, by keyboard; the others stay', async ({
  page,
  product,
}) => {
  const stamp = Date.now();
  const { items } = await admin<{ items: { id: string }[] }>(product, '/api/teams');
  await adminPost(product, '/api/teams', { name: `Moved ${stamp}` });
  for (const name of ['One', 'Two', 'Three'])
    await adminPost(product, '/api/keys', { teamId: items[0]?.id, holder: `${name} ${stamp}` });
  await signIn(page, product, `/keys?q=${stamp}`);
  const row = (name: string) => page.getByRole('row').filter({ hasText: `${name} ${stamp}` });
  for (const name of ['One', 'Two']) await row(name).getByRole('checkbox').press('Space');
  const bar = page.getByRole('group', { name: 'Chosen keys' });
  await expect(bar).toContainText('2 keys chosen');
  await bar.getByRole('button', { name: 'Change…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change 2 keys' });
  await dialog.getByRole('button', { name: 'Change', exact: true }).press('Enter');
  await expect(dialog).toBeVisible();
  await dialog.getByRole('combobox', { name: 'What to change' }).press('ArrowDown');
  await page.getByRole('option', { name: 'Requests per minute' }).click();
  await page.keyboard.press('Escape');
  await dialog.getByLabel('Requests per minute').last().fill('42');
  await dialog.getByRole('combobox', { name: 'What to change' }).press('ArrowDown');
  await page.getByRole('option', { name: 'Team' }).click();
  await page.keyboard.press('Escape');
  await dialog.getByRole('combobox', { name: 'Team', exact: true }).click();
  await page.getByRole('option', { name: `Moved ${stamp}` }).click();
  await expect(dialog).toContainText('Requests per minute: changes 2 of 2 keys');
  await expect(dialog).toContainText('Team: changes 2 of 2 keys');
  expect(await accessibilityFaults(page, { include: '[role="dialog"]' })).toEqual([]);
  await dialog.getByRole('button', { name: 'Change', exact: true }).press('Enter');
  await expect(dialog).toBeHidden();
  for (const name of ['One', 'Two']) {
    await expect(row(name)).toContainText('42 requests/min');
    await expect(row(name)).toContainText(`Moved ${stamp}`);
  }
  await expect(row('Three')).not.toContainText('requests/min');
  await expect(row('Three')).not.toContainText('Moved');
  await bar.getByRole('button', { name: 'Revoke…' }).press('Enter');
  const question = page.getByRole('dialog', { name: 'Revoke 2 keys?' });
  await expect(question).toContainText(`One ${stamp}`);
  await question.getByRole('button', { name: 'Revoke' }).press('Enter');
  await expect(row('One')).toHaveCount(0);
  await expect(row('Three')).toHaveCount(1);
  await expect(bar).toBeHidden();
  await expect(page).not.toHaveURL(/many=/);
});
