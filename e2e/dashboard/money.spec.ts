import { createHash, randomUUID } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import { addModel, admin, adminRemove, ask, signIn, tabTo } from './steps.ts';

/** Opens a model's settings, and returns their dialog. */
async function settingsOf(page: Page, id: string): Promise<Locator> {
  await page.goto(`/models/${id}?edit=settings`);
  return page.getByRole('dialog');
}

/** Picks an option of a select by its name. */
async function pick(page: Page, select: Locator, option: string): Promise<void> {
  await select.click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('keys of another system are imported by secret and by hash, and keep working', async ({ page, product }) => {
  const [secret, hashed] = [`sk-from-elsewhere-${randomUUID()}`, `sk-only-a-hash-${randomUUID()}`];
  const [first, second] = [`Barbara ${Date.now()}`, `Frances ${Date.now()}`];
  await signIn(page, product, '/keys');
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import keys' });
  await expect(dialog.getByRole('button', { name: 'Import keys' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Keys', exact: true }).fill('too-short  Ann');
  await dialog.getByRole('button', { name: 'Import 1 key' }).click();
  await expect(dialog.getByText('Enter 1 to 500 keys of 20 or more characters')).toBeVisible();
  const hash = createHash('sha256').update(hashed).digest('hex');
  await dialog
    .getByRole('textbox', { name: 'Keys', exact: true })
    .fill(`${secret}\t${first}\n${hash}, \n${secret}  again`);
  await dialog.getByLabel('Owner of keys without one').fill(second);
  await dialog.getByRole('button', { name: 'Import 3 keys' }).click();
  const done = page.getByRole('dialog', { name: '2 keys imported' });
  await expect(done).toContainText('is in the list twice');
  await done.getByRole('button', { name: 'Done' }).click();
  for (const holder of [first, second]) await expect(page.getByRole('row').filter({ hasText: holder })).toHaveCount(1);
  for (const key of [secret, hashed])
    await expect.poll(async () => (await ask(product, 'sim-native', { key })).status, { timeout: 6_000 }).toBe(200);
});

test('a model has a price and fallbacks, set and removed by keyboard', async ({ page, product }) => {
  const id = await addModel(product, `priced-${Date.now()}`, 'sim-native');
  await signIn(page, product);
  const dialog = await settingsOf(page, id);
  await dialog.getByLabel('Input', { exact: true }).fill('1.5');
  await dialog.getByLabel('Output', { exact: true }).fill('6');
  await tabTo(page, dialog.getByRole('button', { name: 'Add fallback' }));
  await page.keyboard.press('Enter');
  await pick(page, dialog.getByRole('combobox', { name: 'Fallback 1', exact: true }), 'sim-hermes');
  await pick(page, dialog.getByRole('combobox', { name: 'When fallback 1 answers' }), 'if the prompt is too long');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const settings = page.getByRole('region', { name: 'Settings' });
  await expect(settings).toContainText('1.5 in, 6 out');
  await expect(settings).toContainText('sim-hermes if the prompt is too long');
  await settingsOf(page, id);
  await dialog.getByRole('button', { name: 'Remove fallback 1' }).click();
  await dialog.getByLabel('Input', { exact: true }).fill('');
  await dialog.getByLabel('Output', { exact: true }).fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await expect(settings).not.toContainText('6 out');
  await expect(settings).not.toContainText('sim-hermes');
  await adminRemove(product, `/api/models/${id}`);
});

test("an owner's budget in money is set, counted against, and removed", async ({ page, product }) => {
  const name = `spending-${Date.now()}`;
  const id = await addModel(product, name, 'sim-native');
  const holder = `Katherine ${Date.now()}`;
  await signIn(page, product, '/keys?issue=one');
  const created = page.getByRole('dialog');
  await created.getByLabel('Owner').fill(holder);
  await created.getByRole('button', { name: 'Create key' }).click();
  const key = await created
    .getByText(/^sk-[\w-]{16,}$/)
    .first()
    .innerText();
  await created.getByRole('button', { name: 'Done, I have copied it' }).click();
  const price = await settingsOf(page, id);
  await price.getByLabel('Input', { exact: true }).fill('1000');
  await price.getByLabel('Output', { exact: true }).fill('1000');
  await price.getByRole('button', { name: 'Save' }).click();
  await expect(price).toBeHidden();

  await page.goto('/keys');
  await page.getByRole('button', { name: 'Budgets' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Add budget' }).click();
  const form = page.getByRole('dialog', { name: 'Add budget' });
  await form.getByLabel('Owner').fill(holder);
  await form.getByLabel('Budget (USD)').fill('0.5');
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('dialog').getByRole('row').filter({ hasText: holder });
  await expect(row).toContainText('$0.00 of $0.50');
  // A request without max_tokens reserves the price of 4,096.
  await expect
    .poll(async () => (await ask(product, name, { key })).body.error?.message, { timeout: 8_000 })
    .toContain(`The owner ${holder} of this key has used its 0.50 USD of the month.`);
  await row.getByRole('button', { name: 'Change' }).click();
  const change = page.getByRole('dialog', { name: 'Change budget' });
  await change.getByLabel('Budget (USD)').fill('');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog').getByRole('row').filter({ hasText: holder })).toHaveCount(0);
  await expect.poll(async () => (await ask(product, name, { key })).status, { timeout: 8_000 }).toBe(200);

  type Turns = { items: { id: string; spend: number | null }[] };
  await expect
    .poll(async () => (await admin<Turns>(product, `/api/turns?limit=5&model=${name}`)).items.length)
    .toBeGreaterThan(0);
  const { items } = await admin<Turns>(product, `/api/turns?limit=5&model=${name}`);
  const paid = items.find(({ spend }) => spend !== null && spend > 0);
  await page.goto(`/failures/${paid?.id}`);
  await expect(page.getByRole('region', { name: 'Timing', exact: true })).toContainText('$');
  await adminRemove(product, `/api/models/${id}`);
});
