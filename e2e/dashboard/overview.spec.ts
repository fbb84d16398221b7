import { expect, test } from '../fixture.ts';
import { addModel, adminRemove, ask, askOften, signIn, tabTo } from './steps.ts';

test('a finished turn is shown within five seconds, in tiles, chart and table', async ({ page, product }) => {
  await askOften(product, 'sim-native', 3);
  await signIn(page, product, '/?range=1h');
  const summary = page.getByText(/requests? in the last hour/);
  await expect(summary).toBeVisible();
  const before = Number.parseInt((await summary.innerText()).replaceAll(',', ''), 10);
  await ask(product, 'sim-native', { file: `seen-${Date.now()}.txt` });
  await expect
    .poll(async () => Number.parseInt((await summary.innerText()).replaceAll(',', ''), 10), { timeout: 6_000 })
    .toBeGreaterThan(before);
  await expect(page.getByRole('region', { name: 'Outcomes in the last hour' })).toContainText('Clean');
  await page.getByRole('button', { name: 'View as table' }).click();
  await expect(page).toHaveURL(/outcomes=table/);
  await expect(page.getByRole('table', { name: 'Outcomes over time' }).getByRole('row')).not.toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('table', { name: 'Outcomes over time' })).toBeVisible();
});

test('A-5: a column of the chart shows its numbers and links to its failures, by mouse and by keyboard', async ({
  page,
  product,
}) => {
  await askOften(product, 'sim-leaky', 4);
  await signIn(page, product, '/?range=1h');
  const chart = page.getByRole('application', { name: /Calls by outcome over time/ });
  await chart.hover();
  await expect(page.getByText('no call', { exact: true })).toBeVisible();
  await tabTo(page, chart);
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('no call', { exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/failures\?from=.*&to=/);
  await page.goBack();
  await chart.click();
  await expect(page).toHaveURL(/\/failures\?from=.*&to=/);
});

test('a model that fails is listed with its rate and links to its failures', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 4);
  await signIn(page, product, '/?range=1h');
  const row = page.getByRole('row').filter({ hasText: 'sim-leaky' });
  await expect(row).toContainText('%');
  await row.getByRole('link', { name: 'sim-leaky' }).click();
  await expect(page).toHaveURL(/\/failures\?.*model=sim-leaky/);
  await expect(page.getByRole('heading', { name: 'Failures', level: 1 })).toBeVisible();
});

test('a model’s name breaks between its words, not between its letters, at any width', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 2);
  await page.route('**/api/stats/overview*', async (route) => {
    const reply = await route.fetch();
    const overview = (await reply.json()) as { byModel: { demo: boolean }[] };
    await route.fulfill({ response: reply, json: { ...overview, byModel: overview.byModel.map(asDemo) } });
  });
  await signIn(page, product, '/?range=1h');
  const row = page.getByRole('table', { name: 'Malformed rate by model' }).getByRole('row', { name: /sim-leaky/ });
  await expect(row).toContainText('demo');
  const table = page.getByRole('region', { name: 'Malformed rate by model, table' });
  for (const width of [360, 600, 800, 900, 1024, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    const { height = 0 } = (await row.getByRole('link', { name: 'sim-leaky' }).boundingBox()) ?? {};
    expect(height, `at ${width}`).toBeLessThan(45); // two lines
    const hidden = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(hidden, `pixels of the table that are cut off at ${width}`).toBeLessThan(2);
  }
});

const asDemo = (model: { demo: boolean }) => ({ ...model, demo: true });

test('a removed model links to its history, not to an error', async ({ page, product }) => {
  const id = await addModel(product, 'soon-gone', 'sim-leaky');
  await askOften(product, 'soon-gone', 4);
  await adminRemove(product, `/api/models/${id}`);
  await signIn(page, product, '/?range=1h');
  const row = page.getByRole('table', { name: 'Malformed rate by model' }).getByRole('row', { name: /soon-gone/ });
  await expect(row).toContainText('removed');
  await row.getByRole('link', { name: 'soon-gone' }).click();
  await expect(page).toHaveURL(new RegExp(`/failures\\?.*model=${id}`));
  await page.goto(`/models/${id}`);
  await expect(page.getByText('This model is no longer available')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Charts' }).click();
  await expect(
    page.getByText(/4 requests in the last 30 days, 100\s% of those with calls valid, 0 answered without a tool call/),
  ).toBeVisible();
});

test('time range and model are in the address and restored from it', async ({ page, product }) => {
  await askOften(product, 'sim-native', 1);
  await signIn(page, product, '/?range=6h&model=sim-native');
  await expect(page.getByRole('region', { name: 'Outcomes of sim-native' })).toBeVisible();
  await page.getByRole('radiogroup', { name: 'Time range' }).getByText('7 d').click();
  await expect(page).toHaveURL(/range=7d/);
  await page.goBack();
  await page.goForward();
  await expect(page).toHaveURL(/range=7d&model=sim-native|model=sim-native&range=7d/);
});

test('the number of errors links to exactly these requests', async ({ page, product }) => {
  const wrong = { type: 'function', function: { name: 'no spaces allowed', parameters: { type: 'object' } } };
  for (let n = 0; n < 2; n++) expect((await ask(product, 'sim-native', { tools: [wrong] })).status).toBe(400);
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/?range=1h');
  const errors = page.getByRole('link', { name: /^\d+ errors?$/ });
  await expect(errors).toBeVisible();
  const count = Number.parseInt(await errors.innerText(), 10);
  await errors.click();
  await expect(page).toHaveURL(/outcome=error/);
  const rows = page.getByRole('table', { name: 'Failed, invalid and repaired requests' }).locator('tbody tr a');
  await expect(rows).toHaveCount(count);
  await page.goto('/transcripts?range=1h');
  const facet = page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: /^error/ });
  await expect(facet).toHaveText(new RegExp(`${count} requests$`));
});

test('a hidden tab requests nothing', async ({ page, product }) => {
  await askOften(product, 'sim-native', 1);
  await signIn(page, product, '/?range=1h');
  await expect(page.getByText(/requests? in the last hour/)).toBeVisible();
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  await page.waitForTimeout(1_000);
  const requestUrls: string[] = [];
  page.on('request', (request) => requestUrls.push(request.url()));
  await page.waitForTimeout(6_000);
  expect(requestUrls).toEqual([]);
});
