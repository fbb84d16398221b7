import { expect, test } from '../fixture.ts';
import { adminPost, adminRemove, signIn } from './steps.ts';

test('a team is renamed and deleted; the audit log names it, and distinguishes changes from reads', async ({
  page,
  product,
}) => {
  const name = `Team ${Date.now()}`;
  await signIn(page, product, '/teams?add=team');
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.getByLabel('Name').fill(`${name} B`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: `Edit ${name} B` }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page
    .getByRole('dialog', { name: `Delete ${name} B?` })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(0);
  await page.goto('/audit');
  const changes = page.getByRole('table', { name: 'Changes' });
  await expect(changes.getByRole('row').filter({ hasText: 'team.remove' })).toContainText(`team ${name} B`);
  await expect(changes).not.toContainText('turn.read');
  await page.getByRole('radiogroup', { name: 'Kind' }).getByText('Reads').click();
  await expect(page).toHaveURL(/kind=reads/);
  await page.goto('/audit?actor=nobody@example.com');
  await expect(page.getByText('No entries match these filters.')).toBeVisible();
});

test('a team that still has a key is not deleted, and says why', async ({ page, product }) => {
  const name = `Busy ${Date.now()}`;
  const { id } = await adminPost<{ id: string }>(product, '/api/teams', { name });
  await adminPost(product, '/api/keys', { teamId: id, holder: 'Ada' });
  await signIn(page, product, '/teams');
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const question = page.getByRole('dialog', { name: `Delete ${name}?` });
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText(`${name} has 0 users and 1 active key.`)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('row').filter({ hasText: name })).toBeVisible();
});

test('a user is deleted by keyboard, and the audit log still names them', async ({ page, product }) => {
  const email = `leaves-${Date.now()}@example.com`;
  await adminPost(product, '/api/users', { email, role: 'admin' });
  await signIn(page, product, '/teams');
  await page.getByRole('button', { name: `Edit ${email}` }).press('Enter');
  await page.getByRole('dialog', { name: email }).getByRole('button', { name: 'Delete…' }).press('Enter');
  const question = page.getByRole('dialog', { name: `Delete ${email}?` });
  await expect(question).toContainText('Their sessions end');
  await expect(question.getByRole('button', { name: 'Delete' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: email })).toHaveCount(0);
  await page.goto('/audit');
  const changes = page.getByRole('table', { name: 'Changes' });
  await expect(changes.getByRole('row').filter({ hasText: 'user.remove' })).toContainText(email);
});

test('of many teams only visible ones are rendered', async ({ page, product }) => {
  const stamp = Date.now();
  const teams = await Promise.all(
    Array.from({ length: 70 }, (_, n) =>
      adminPost<{ id: string }>(product, '/api/teams', { name: `Many ${stamp} ${n}` }),
    ),
  );
  await signIn(page, product, '/teams');
  const table = page.getByRole('table', { name: 'Teams' });
  await expect(table).toHaveAttribute('aria-rowcount', /^\d+$/);
  expect(Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(70);
  expect(await table.getByRole('row').count()).toBeLessThan(60);
  for (const { id } of teams) await adminRemove(product, `/api/teams/${id}`);
});
