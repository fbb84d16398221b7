import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, chooseByArrows, signIn, tabTo, untilFailed } from './steps.ts';

test('a screen’s state is saved under a name, opened again, renamed, made the default and deleted', async ({
  page,
  product,
}) => {
  const name = `Nights ${Date.now()}`;
  await untilFailed(product, 'sim-flaky', 1);
  await signIn(page, product, '/failures?model=sim-flaky&range=7d');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  const save = page.getByRole('dialog', { name: 'Save view' });
  await expect(save).toContainText('Model sim-flaky, the last 7 days');
  await save.getByLabel('Name').fill(name);
  await save.getByRole('button', { name: 'Save view' }).click();
  await expect(page.getByText(`View ${name} saved.`)).toBeVisible();
  await expect(page).toHaveURL(/\/failures\?model=sim-flaky&range=7d$/);

  await page.goto('/failures');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name }).click();
  await expect(page).toHaveURL(/model=sim-flaky&range=7d$/);
  await page.getByRole('button', { name: 'Views' }).click();
  await expect(page.getByRole('menuitem', { name })).toHaveAttribute('aria-current', 'true');
  await page.getByRole('menuitem', { name: 'Manage views…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Saved views' });
  const row = dialog.getByRole('region', { name });
  await row.getByRole('button', { name: 'Set as default' }).click();
  await expect(row.getByRole('button', { name: 'Default' })).toHaveAttribute('aria-pressed', 'true');
  await row.getByRole('button', { name: 'Edit…' }).click();
  const edit = page.getByRole('dialog', { name });
  await edit.getByLabel('Name').fill(`${name}, renamed`);
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('region', { name: `${name}, renamed` })).toBeVisible();
  await page.keyboard.press('Escape');

  // The menu opens the default view, with the current time range.
  await page.goto('/?range=1h');
  await page.getByRole('navigation').getByRole('link', { name: 'Failures', exact: true }).click();
  await expect(page).toHaveURL(/\/failures\?model=sim-flaky&range=1h$/);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect(page).not.toHaveURL(/model=/);

  await page.goto('/failures?views=manage');
  await dialog
    .getByRole('region', { name: `${name}, renamed` })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(dialog.getByRole('region', { name: `${name}, renamed` })).toHaveCount(0);
});

test('by keyboard only: a team view is saved on Transcripts and opened by another member', async ({
  page,
  product,
}) => {
  const name = `Team view ${Date.now()}`;
  const { items } = await admin<{ items: { id: string; name: string }[] }>(product, '/api/teams');
  const team = items[0]!;
  await signIn(page, product, '/transcripts?outcome=error');
  const button = page.getByRole('button', { name: 'Views' });
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  const item = page.getByRole('menuitem', { name: 'Save this view…' });
  await expect(item).toBeVisible();
  for (let presses = 0; presses < 20 && !(await item.evaluate((it) => it === document.activeElement)); presses++)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await chooseByArrows(page, page.getByRole('option', { name: `Team ${team.name}` }));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText(`View ${name} saved.`)).toBeVisible();

  const email = `viewer-${Date.now()}@example.com`;
  const asAdmin = { headers: { 'x-admin-key': product.adminKey } };
  const data = { email, role: 'viewer', teamId: team.id };
  const invited = await page.request.post(`${product.url}/api/users`, { ...asAdmin, data });
  const token = new URL(((await invited.json()) as { link: string }).link).hash.slice(1);
  await page.context().clearCookies();
  await page.request.post(`${product.url}/api/links/use`, { data: { token, password: 'a long enough password' } });
  await page.goto('/transcripts');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name }).click();
  await expect(page).toHaveURL(/\/transcripts\?outcome=error$/);
  await page.goto('/transcripts?views=manage');
  const row = page.getByRole('dialog', { name: 'Saved views' }).getByRole('region', { name });
  await expect(row.getByRole('button', { name: 'Set as default' })).toBeVisible();
  await expect(row.getByRole('button', { name: 'Delete' })).toHaveCount(0);
});

for (const scheme of ['light', 'dark'] as const)
  test(`the dialogs of saved views have no accessibility violations and fit 360 pixels, ${scheme}`, async ({
    page,
    product,
  }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await signIn(page, product);
    await page.request.post(`${product.url}/api/views`, {
      data: {
        screen: 'failures',
        name: `Wide ${scheme} ${Date.now()} with a long name`,
        address: { model: 'sim-flaky' },
      },
    });
    for (const width of [360, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      for (const views of ['manage', 'save']) {
        await page.goto(`/failures?model=sim-flaky&views=${views}`);
        await expect(page.getByRole('dialog')).toBeVisible();
        expect(await accessibilityFaults(page)).toEqual([]);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(beyond).toBeLessThanOrEqual(0);
        await page.screenshot({ path: `.cache/screenshots/views-${views}-${scheme}-${width}.png` });
      }
    }
  });
