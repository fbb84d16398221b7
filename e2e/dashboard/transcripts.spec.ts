import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { addModel, admin, adminPost, ask, askOften, signIn, tabTo, untilFailed } from './steps.ts';

interface Counts {
  total: number;
  facets: { name: string; values: { value: string; count: number }[] }[];
}

/** A separate model that leaks its calls, with this many recorded requests. */
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

test('facets count what the list shows; a click filters it, a second one undoes that', async ({ page, product }) => {
  const name = await leakyModel(product, 3);
  const counts = await admin<Counts>(product, `/api/turns/facets?model=${name}`);
  // Requests without a model name have no button.
  const models = counts.facets.find(({ name }) => name === 'model')?.values.filter(({ value }) => value !== '').length;
  await signIn(page, product, '/transcripts');
  const facets = page.getByRole('region', { name: 'Filters' });
  const model = facets.getByRole('group', { name: 'Model' });
  await expect(model.getByRole('button', { name: /requests?$/ }).first()).toBeVisible();
  // Of many values the first are shown until the rest are requested.
  const rest = model.getByRole('button', { name: /^\d+ more/ });
  if ((await rest.count()) > 0) await rest.click();
  await model.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  await expect(page).toHaveURL(new RegExp(`model=${name}`));
  await expect(facets.getByRole('status')).toHaveText('3 results.');
  await expect(model.getByRole('button', { name: `${name} 3 requests` })).toHaveAttribute('aria-pressed', 'true');
  // A facet's own selection does not filter it.
  expect(models).toBeGreaterThan(1);
  await expect(model.getByRole('button', { name: /requests?$/ })).toHaveCount(models ?? 0);
  const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr a');
  await expect(rows).toHaveCount(3);
  await expect(page.getByRole('table', { name: 'Requests' })).not.toContainText('sim-flaky');
  await page.reload();
  await expect(model.getByRole('button', { name: new RegExp(`^${name}`) })).toHaveAttribute('aria-pressed', 'true');
  await model.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  await expect(page).not.toHaveURL(/model=/);
  await expect(facets.getByRole('status')).not.toHaveText('3 results.');
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`model=${name}`));
});

test('by keyboard only: filter by outcome, select a request, close it', async ({ page, product }) => {
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

test('on a narrow screen the facets open above the list, and a request on its own page', async ({ page, product }) => {
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

test('one request is found by words in it, by keyboard, and by its request ID', async ({ page, product }) => {
  const word = `needle${Date.now()}`;
  await ask(product, 'sim-leaky', { file: `src/${word}/main.txt` });
  interface Rows {
    items: { id: string; requestId: string }[];
  }
  const found = () => admin<Rows>(product, `/api/turns?text=src/${word}`);
  await expect.poll(async () => (await found()).items.length).toBe(1);
  const requestId = (await found()).items[0]?.requestId ?? '';
  await signIn(page, product, '/transcripts');
  const search = page.getByRole('searchbox', { name: 'Search requests' });
  await tabTo(page, search);
  await page.keyboard.type(`"${word} main"`);
  await page.keyboard.press('Enter');
  const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr a');
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(new RegExp(`text=.*${word}`));
  await expect(page.getByRole('region', { name: 'Filters' }).getByRole('status')).toHaveText('1 result.');
  await page.keyboard.press('j');
  await page.reload();
  await expect(page.getByRole('region', { name: 'Client request', exact: true })).toContainText(word);
  await search.fill('nothing-like-this');
  await search.press('Enter');
  await expect(page.getByText('Only requests whose message content is kept are searched.')).toBeVisible();
  await search.fill(requestId);
  await search.press('Enter');
  await expect(page).toHaveURL(/requestId=req_/);
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Clear request ID filter' }).click();
  await expect(search).toHaveValue('');
});

test('the list shows new requests until it is paused', async ({ page, product }) => {
  const name = await leakyModel(product, 1);
  await signIn(page, product, `/transcripts?model=${name}`);
  const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr a');
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Live' }).press('Enter');
  await expect(page).toHaveURL(/live=yes/);
  await askOften(product, name, 2);
  await expect(rows).toHaveCount(3);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page).not.toHaveURL(/live=/);
});

test('a request is copied as a command and as a test case', async ({ page, product, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(page, product, '/transcripts?model=sim-leaky');
  await expect(page.getByRole('table', { name: 'Requests' })).toBeVisible();
  await page.keyboard.press('j');
  const copied = async (item: string) => {
    await page.getByRole('button', { name: 'Copy as…' }).click();
    await page.getByRole('menuitem', { name: item }).press('Enter');
    await expect(page.getByText(/copied$/).last()).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied('Command for curl')).toContain('/v1/chat/completions');
  const line = JSON.parse(await copied('Test case for callsmith parse')) as { text: string; tools: object[] };
  expect(line.text).not.toBe('');
  expect(line.tools).toHaveLength(1);
});

test('by keyboard from any screen: a page, a request that was opened before, a key, a team, and a search', async ({
  page,
  product,
}) => {
  const owner = `Palette ${Date.now()}`;
  const name = `Harbor ${Date.now()}`;
  const team = await adminPost<{ id: string }>(product, '/api/teams', { name });
  await adminPost(product, '/api/keys', { teamId: team.id, holder: owner });
  await signIn(page, product, '/transcripts?model=sim-leaky');
  await expect(page.getByRole('table', { name: 'Requests' })).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByRole('region', { name: 'Selected request' }).getByText('request ID')).toBeVisible();
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  const goTo = async (typed: string, place?: string | RegExp) => {
    await page.keyboard.press('Control+k');
    await expect(dialog.getByRole('textbox', { name: 'Go to' }).or(dialog.getByRole('combobox'))).toBeFocused();
    await page.keyboard.type(typed);
    const found = dialog.getByRole('option', place === undefined ? {} : { name: place });
    await expect(found.first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
  };
  await goTo('audit');
  await expect(page).toHaveURL(/\/audit/);
  await goTo('sim-leaky,');
  await expect(page).toHaveURL(/\/failures\/turn_/);
  await goTo(owner.toLowerCase(), `${owner} ·`);
  await expect(page.getByRole('heading', { name: owner })).toBeVisible();
  await goTo(name.toUpperCase(), new RegExp(`^${name}$`));
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await goTo('words of nothing');
  await expect(page).toHaveURL(/\/transcripts\?range=30d&text=words/);
  await page.getByRole('button', { name: 'Go to…' }).click();
  await expect(dialog).toBeVisible();
  expect(await accessibilityFaults(page, { include: '[role="dialog"]' })).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});
