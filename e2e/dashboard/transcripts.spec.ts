import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { addModel, admin, askOften, signIn, tabTo, untilFailed } from './steps.ts';

interface Counts {
  total: number;
  facets: { name: string; values: { value: string; count: number }[] }[];
}

/** A model of one's own that leaks its calls, asked so often, with all of it on record. */
async function leakyModel(product: Product, times: number): Promise<string> {
  const name = `leaky-${Date.now()}`;
  await addModel(product, name, 'sim-leaky');
  await askOften(product, name, times);
  const facets = `/api/turns/facets?model=${name}`;
  await expect.poll(async () => (await admin<Counts>(product, facets)).total).toBe(times);
  return name;
}

test.beforeEach(async ({ product }) => {
  await untilFailed(product, 'sim-flaky', 1);
  await askOften(product, 'sim-leaky', 2);
  await expect
    .poll(async () => (await admin<{ items: unknown[] }>(product, '/api/turns?model=sim-leaky')).items.length)
    .toBeGreaterThanOrEqual(2);
});

test('facets count what the list shows; a click narrows it, a second one takes that back', async ({
  page,
  product,
}) => {
  const name = await leakyModel(product, 3);
  const counts = await admin<Counts>(product, `/api/turns/facets?model=${name}`);
  // Requests that named no model have no button.
  const models = counts.facets.find(({ name }) => name === 'model')?.values.filter(({ value }) => value !== '').length;
  await signIn(page, product, '/transcripts');
  const facets = page.getByRole('region', { name: 'Filters' });
  const model = facets.getByRole('group', { name: 'Model' });
  await model.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  await expect(page).toHaveURL(new RegExp(`model=${name}`));
  await expect(facets.getByRole('status')).toHaveText('3 results.');
  await expect(model.getByRole('button', { name: `${name} 3 requests` })).toHaveAttribute('aria-pressed', 'true');
  // A facet's own filter does not narrow it.
  expect(models).toBeGreaterThan(1);
  await expect(model.getByRole('button', { name: /requests$/ })).toHaveCount(models ?? 0);
  const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr a');
  await expect(rows).toHaveCount(3);
  await expect(page.getByRole('table', { name: 'Requests' })).not.toContainText('sim-flaky');
  await page.reload();
  await expect(model.getByRole('button', { name: new RegExp(`^${name}`) })).toHaveAttribute('aria-pressed', 'true');
  await model.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  await expect(page).not.toHaveURL(/model=/);
  await expect(page.getByRole('table', { name: 'Requests' })).toContainText('sim-flaky');
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`model=${name}`));
});

test('by keyboard alone: narrow by outcome, choose a turn, close it', async ({ page, product }) => {
  await signIn(page, product, '/transcripts?model=sim-flaky');
  const failed = page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: /^failed/ });
  await expect(failed).toBeVisible();
  await tabTo(page, failed);
  await page.keyboard.press('Enter');
  await expect(failed).toHaveAttribute('aria-pressed', 'true');
  await expect(failed).toBeFocused();
  await expect(page).toHaveURL(/outcome=failed/);
  await page.keyboard.press('j');
  const turn = page.getByRole('region', { name: 'Selected request' });
  await expect(turn.getByRole('region', { name: 'Model output', exact: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Filters' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Filters (2)' }).press('Enter');
  await expect(page.getByRole('region', { name: 'Filters' })).toBeVisible();
  await expect(page).toHaveURL(/facets=yes/);
  await turn.getByRole('button', { name: 'Close request' }).press('Enter');
  await expect(turn).toHaveCount(0);
  await expect(failed).toBeVisible();
});

test('on a narrow screen the facets open above the list, and a turn on its own page', async ({ page, product }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(page, product, '/transcripts');
  await expect(page.getByRole('region', { name: 'Filters' })).toHaveCount(0);
  const toggle = page.getByRole('button', { name: 'Filters' });
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await toggle.click();
  await page
    .getByRole('group', { name: 'Class' })
    .getByRole('button', { name: /^LeakedCall/ })
    .click();
  await expect(page).toHaveURL(/class=LeakedCall/);
  await page.getByRole('button', { name: 'Filters (1)' }).click();
  await page.getByRole('table', { name: 'Requests' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/failures\/turn_/);
});
