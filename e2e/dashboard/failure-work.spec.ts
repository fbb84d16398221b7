import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { addModel, admin, askOften, chooseByArrows, openLoaded, signIn, tabTo } from './steps.ts';

interface Groups {
  items: { group: string; class: string; work: { state: string } }[];
}

/** A separate model with one group of recorded failures. */
async function failingModel(product: Product): Promise<string> {
  const name = `work-${Date.now()}`;
  await addModel(product, name, 'sim-leaky');
  await failAgain(product, name);
  return name;
}

async function failAgain(product: Product, name: string): Promise<void> {
  const count = async () => {
    const { items } = await admin<{ items: unknown[] }>(product, `/api/failures?model=${name}`);
    return items.length;
  };
  const before = await count();
  await askOften(product, name, 1);
  await expect.poll(count).toBeGreaterThan(before);
}

test('a group is resolved with its fix, leaves the open ones, and returns marked when it fails again', async ({
  page,
  product,
}) => {
  const name = await failingModel(product);
  const { items } = await admin<{ items: { id: string; name: string }[] }>(product, '/api/models');
  const id = items.find((model) => model.name === name)?.id ?? '';
  await page.request.patch(`${product.url}/api/models/${id}`, {
    headers: { 'x-admin-key': product.adminKey },
    data: { strategy: 'prompt', reason: 'leaks' },
  });
  await signIn(page, product, `/failures?model=${name}`);
  const list = page.getByRole('list', { name: 'Failure groups' });
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await list.getByRole('button', { name: /^Details/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Failure group' });
  await expect(dialog.getByRole('table', { name: 'Clients' })).toBeVisible();
  await expect(dialog.getByRole('table', { name: 'Tools called' })).toContainText('read_file');
  await dialog.getByRole('combobox', { name: 'Fix' }).click();
  await page.getByRole('option', { name: /strategy auto to prompt/ }).click();
  await dialog.getByLabel('Note').fill('Leaks without a prompt.');
  await dialog.getByRole('button', { name: 'Save note' }).click();
  await expect(dialog.getByRole('button', { name: 'Save note' })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Resolve' }).click();
  await expect(dialog.getByRole('status').getByText('Resolved')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/No open matching failures/)).toBeVisible();
  await page.getByRole('radiogroup', { name: 'State' }).getByText('Resolved').click();
  await expect(page).toHaveURL(/state=resolved/);
  await expect(list).toContainText('Resolved');
  // The same failure again, with the strategy of the group.
  await page.request.patch(`${product.url}/api/models/${id}`, {
    headers: { 'x-admin-key': product.adminKey },
    data: { strategy: 'auto', reason: 'back' },
  });
  await failAgain(product, name);
  await page.goto(`/failures?model=${name}`);
  await expect(list).toContainText('Failed again after resolve');
  await list
    .getByRole('button', { name: /^Details/ })
    .first()
    .click();
  await expect(dialog.getByLabel('Note')).toHaveValue('Leaks without a prompt.');
  await dialog.getByRole('button', { name: 'Reopen' }).click();
  await expect(dialog.getByRole('status').getByText('Open', { exact: true })).toBeVisible();
});

test('by keyboard only: a group is muted for a day, assigned, and found by its assignee', async ({ page, product }) => {
  const name = await failingModel(product);
  await signIn(page, product, `/failures?model=${name}`);
  const details = page.getByRole('list', { name: 'Failure groups' }).getByRole('button', { name: /^Details/ });
  await expect(details).toBeVisible();
  await tabTo(page, details);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Failure group' });
  const assigned = dialog.getByRole('combobox', { name: 'Assigned to' });
  await expect(assigned).toBeVisible();
  await tabTo(page, assigned);
  await page.keyboard.press('ArrowDown');
  await chooseByArrows(page, page.getByRole('option', { name: product.admin.email }));
  await expect(assigned).toHaveValue(product.admin.email);
  const mute = dialog.getByRole('button', { name: 'Mute…' });
  for (let presses = 0; presses < 20 && !(await mute.evaluate((it) => it === document.activeElement)); presses++)
    await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  const day = page.getByRole('menuitem', { name: 'For 1 day' });
  await expect(day).toBeVisible();
  for (let presses = 0; presses < 10 && !(await day.evaluate((it) => it === document.activeElement)); presses++)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText(/Muted until/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/No open matching failures/)).toBeVisible();
  await page.goto(`/failures?model=${name}&state=muted&assignee=me`);
  await expect(page.getByRole('list', { name: 'Failure groups' })).toContainText(product.admin.email);
});

for (const scheme of ['light', 'dark'] as const)
  test(`a group’s history has no accessibility violations and fits 360 pixels, ${scheme}`, async ({
    page,
    product,
  }) => {
    const name = await failingModel(product);
    const { items } = await admin<Groups>(product, `/api/failures/clusters?model=${name}`);
    const group = items[0]?.group ?? '';
    await page.emulateMedia({ colorScheme: scheme });
    await signIn(page, product);
    for (const width of [360, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [shot, path] of [
        ['list', `/failures?model=${name}&state=all`],
        ['story', `/failures?model=${name}&story=${group}`],
        ['empty', `/failures?model=${name}&state=muted`],
      ] as const) {
        await openLoaded(page, path);
        expect(await accessibilityFaults(page)).toEqual([]);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(beyond).toBeLessThanOrEqual(0);
        await page.screenshot({ path: `.cache/screenshots/work-${shot}-${scheme}-${width}.png` });
      }
    }
  });
