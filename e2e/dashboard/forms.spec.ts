import { expect, test } from '../fixture.ts';
import { admin, adminPost, signIn } from './steps.ts';

test('the first invalid field gets the focus, and says what is wrong', async ({ page, product }) => {
  await signIn(page, product, '/upstreams?add=yes');
  const dialog = page.getByRole('dialog', { name: 'Add upstream' });
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByText('Enter the URL of the model server.')).toBeVisible();
  await expect(dialog.getByLabel('Base URL')).toBeFocused();
  await dialog.getByLabel('Base URL').fill('http://127.0.0.1:1');
  await dialog.getByRole('button', { name: 'Timeouts and connections' }).click();
  await dialog.getByLabel('Idle timeout (ms)').fill('5');
  await dialog.getByRole('button', { name: 'Timeouts and connections' }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  // A collapsed section opens if it contains an error.
  await expect(dialog.getByText('Must be at least 100.')).toBeVisible();
  await expect(dialog.getByLabel('Idle timeout (ms)')).toBeFocused();
});

test('a dialog with unsaved changes asks before it closes', async ({ page, product }) => {
  await signIn(page, product, '/teams?add=team');
  const dialog = page.getByRole('dialog', { name: 'Add team' });
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await dialog.getByLabel('Name').fill('Half a te');
  await page.keyboard.press('Escape');
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(dialog.getByLabel('Name')).toHaveValue('Half a te');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog).toBeHidden();
  await expect(page).not.toHaveURL(/add=team/);
});

test('a dialog without changes closes immediately, and so does a saved one', async ({ page, product }) => {
  const name = `Team ${Date.now()}`;
  await signIn(page, product, '/teams?add=team');
  const dialog = page.getByRole('dialog', { name: 'Add team' });
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Add team' }).click();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(`${name} added.`)).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: name })).toBeVisible();
});

test('a page with unsaved changes asks before it is left', async ({ page, product }) => {
  await signIn(page, product, '/settings');
  const days = page.getByLabel('Keep request metadata for');
  const before = await days.inputValue();
  await days.fill('77');
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/settings/);
  await expect(days).toHaveValue(/77/);
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('heading', { name: 'Keys', level: 1 })).toBeVisible();
  await page.goto('/settings');
  await expect(days).toHaveValue(before);
});

test('a date is picked from a calendar, and a table is sorted by its heading', async ({ page, product }) => {
  const holder = `Barbara ${Date.now()}`;
  await signIn(page, product, '/keys?issue=one');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Owner').fill(holder);
  await dialog.getByRole('button', { name: 'Limits' }).click();
  await dialog.getByLabel('Expires').fill('31 Dec 2099');
  await dialog.getByLabel('Requests per minute').fill('7');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'Done, I have copied it' }).click();
  await expect(page.getByRole('row').filter({ hasText: holder })).toContainText('Active, expires in');
  // Only beside others of these names: of a long list only visible rows are rendered.
  const { items } = await admin<{ items: { id: string }[] }>(product, '/api/teams');
  for (const first of ['Ada', 'Zoe'])
    await adminPost(product, '/api/keys', { teamId: items[0]?.id, holder: `${first} of ${holder}` });
  await page.goto(`/keys?q=${encodeURIComponent(holder)}`);
  const rows = page.locator('tbody tr');
  await expect(rows).toHaveCount(3);
  const owner = page.getByRole('columnheader', { name: 'Owner' });
  await owner.getByRole('button').click();
  await expect(owner).toHaveAttribute('aria-sort', 'descending');
  await expect(page).toHaveURL(/sort=holder.desc/);
  await expect(rows.first()).toContainText(`Zoe of ${holder}`);
  await owner.getByRole('button').click();
  await expect(owner).toHaveAttribute('aria-sort', 'ascending');
  await expect(rows.first()).toContainText(`Ada of ${holder}`);
  await owner.getByRole('button').click();
  await expect(owner).not.toHaveAttribute('aria-sort', /.+/);
});
