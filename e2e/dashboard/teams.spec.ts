import { expect, test } from '../fixture.ts';
import { signIn } from './steps.ts';

test('a team is renamed and deleted; the audit log names it, and tells changes from reads', async ({
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
  // One with users and keys stays.
  await page.getByRole('button', { name: 'Edit default' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog', { name: 'Delete default?' }).getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('This is the only team')).toBeVisible();
  await page.goto('/audit');
  const changes = page.getByRole('table', { name: 'Changes' });
  await expect(changes.getByRole('row').filter({ hasText: 'team.remove' })).toContainText(`team ${name} B`);
  await expect(changes).not.toContainText('turn.read');
  await page.getByRole('radiogroup', { name: 'Kind' }).getByText('Reads').click();
  await expect(page).toHaveURL(/kind=reads/);
  await page.goto('/audit?actor=nobody@example.com');
  await expect(page.getByText('No entries match these filters.')).toBeVisible();
});
