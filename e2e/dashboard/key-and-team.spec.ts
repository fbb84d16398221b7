import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { adminPost, ask, signIn, tabTo } from './steps.ts';

test('a key has a page: permissions, due rotation, outcomes of its calls, usage; by mouse', async ({
  page,
  product,
}) => {
  const holder = `Ada ${Date.now()}`;
  await signIn(page, product, '/keys?issue=one');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Owner').fill(holder);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = await dialog
    .getByText(/^sk-[\w-]{16,}$/)
    .first()
    .innerText();
  await dialog.getByRole('button', { name: 'Done, I have copied it' }).click();
  expect((await ask(product, 'sim-native', { key: secret })).status).toBe(200);

  await page.getByRole('link', { name: holder }).click();
  await expect(page.getByRole('heading', { name: `Key of ${holder}`, level: 1 })).toBeVisible();
  const facts = page.getByRole('region', { name: 'This key' });
  await expect(facts).toContainText('Active');
  await expect(facts).toContainText('at 180 days of age');
  const usage = page.getByRole('table', { name: 'Usage by model' });
  // The last request is recorded a moment later.
  await expect(async () => {
    await page.reload();
    await expect(usage.getByRole('row').filter({ hasText: 'sim-native' })).toContainText('1', { timeout: 2_000 });
  }).toPass();
  // The chart covers only this key's calls, and so do the linked failures.
  const outcomes = page.getByRole('region', { name: 'Outcomes over time' });
  await outcomes.getByText('Count', { exact: true }).click();
  await expect(page).toHaveURL(/counts=yes/);
  await outcomes.getByRole('button', { name: 'View as table' }).click();
  const columns = outcomes.getByRole('table', { name: 'Outcomes over time' }).locator('tbody tr');
  await expect(columns).toHaveCount(1);
  await expect(columns.getByRole('cell').nth(1)).toHaveText('1');
  await expect(columns.getByRole('link')).toHaveAttribute('href', /[?&]key=key_/);
  await page.getByRole('button', { name: `Actions for the key of ${holder}` }).click();
  await page.getByRole('menuitem', { name: 'Owner and limits…' }).click();
  await dialog.getByLabel('Requests per minute').fill('30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(facts).toContainText('30 requests/min');
  await page.getByRole('button', { name: `Actions for the key of ${holder}` }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(facts).toContainText('Revoked');
  await page.reload();
  await expect(facts).toContainText('Revoked');
  await page.goto(`${product.url}/keys/key_0`);
  await expect(page.getByText('Key not found.')).toBeVisible();
});

test('keys that are due for rotation say so in the list, others do not', async ({ page, product }) => {
  const { id } = await adminPost<{ id: string }>(product, '/api/teams', { name: `Dates ${Date.now()}` });
  const [soon, later] = [`Soon ${Date.now()}`, `Later ${Date.now()}`];
  const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await adminPost(product, '/api/keys', { teamId: id, holder: soon, expiresAt });
  await adminPost(product, '/api/keys', { teamId: id, holder: later });
  const rotated = `Rotated ${Date.now()}`;
  const { key } = await adminPost<{ key: { id: string } }>(product, '/api/keys', { teamId: id, holder: rotated });
  const { key: successor } = await adminPost<{ key: { id: string } }>(product, `/api/keys/${key.id}/rotate`, {});
  await signIn(page, product, `/keys?team=${id}`);
  await expect(page.getByRole('row').filter({ hasText: soon })).toContainText('Rotation due in 2 d, as it expires');
  await expect(page.getByRole('row').filter({ hasText: later })).not.toContainText('Rotation');
  for (const row of await page.getByRole('row').filter({ hasText: rotated }).all())
    await expect(row).not.toContainText('Rotation');
  await page.goto(`/keys/${key.id}`);
  await page.getByRole('link', { name: 'its successor' }).click();
  await expect(page).toHaveURL(new RegExp(`/keys/${successor.id}$`));
});

test('a team has a page with its keys, users, and outcomes of its calls; by keyboard', async ({ page, product }) => {
  const name = `Readers ${Date.now()}`;
  const { id } = await adminPost<{ id: string }>(product, '/api/teams', { name });
  const { key, secret } = await adminPost<{ key: { id: string }; secret: string }>(product, '/api/keys', {
    teamId: id,
    holder: 'Grace',
  });
  const email = `ada.${Date.now()}@example.com`;
  await adminPost(product, '/api/users', { email, role: 'editor', teamId: id });
  await signIn(page, product, '/teams');
  await tabTo(page, page.getByRole('table', { name: 'Teams' }).getByRole('link', { name }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  await expect(page.getByText('No requests in the last 7 days')).toBeVisible();
  const users = page.getByRole('table', { name: `Users of ${name}` });
  await expect(users.getByRole('row', { name: email })).toContainText('editor');
  await tabTo(page, page.getByRole('button', { name: 'Edit…' }));
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name });
  await tabTo(page, form.getByLabel('Name'));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(`${name} and writers`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: `${name} and writers`, level: 1 })).toBeVisible();
  await tabTo(page, page.getByRole('table', { name: /^Keys of/ }).getByRole('link', { name: 'Grace' }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/keys/${key.id}$`));
  await expect(page.getByRole('region', { name: 'This key' })).toContainText('never');
  expect((await ask(product, 'sim-leaky', { key: secret })).status).toBe(200);
  const chart = page.getByRole('application', { name: /^Calls by outcome over time/ });
  await expect(async () => {
    await page.goto(`${product.url}/teams/${id}`);
    await expect(chart).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await tabTo(page, chart);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/failures\\?.*team=${id}`));
  await expect(page.getByRole('region', { name: 'Selected failure' })).toContainText('sim-leaky');
  await page.goto(`${product.url}/teams/team_0`);
  await expect(page.getByText('There is no such team')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing on the pages of a key and a team, ${colorScheme}; nothing is cut off at 360 pixels`, async ({
    page,
    product,
  }) => {
    await page.emulateMedia({ colorScheme });
    const { id } = await adminPost<{ id: string }>(product, '/api/teams', { name: `Axe ${colorScheme} ${Date.now()}` });
    const { key, secret } = await adminPost<{ key: { id: string }; secret: string }>(product, '/api/keys', {
      teamId: id,
      holder: 'Grace',
      tokenBudget: 100_000,
      budgetPeriod: 'day',
    });
    expect((await ask(product, 'sim-native', { key: secret })).status).toBe(200);
    await signIn(page, product, '/keys');
    for (const path of [`/keys/${key.id}`, `/teams/${id}`]) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(path);
      await expect(page.getByRole('table', { name: 'Usage by model' })).toBeVisible({ timeout: 15_000 });
      await expect(page.getByRole('application', { name: /^Calls by outcome over time/ })).toBeVisible();
      if (path.startsWith('/keys'))
        await expect(page.getByRole('region', { name: 'This key' })).toContainText('of 100K today');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
  });
