import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, askOften, signIn, tabTo } from './steps.ts';

/** The newest recorded requests of a model that leaks its calls, by ID. */
async function leakyRequests(product: Product): Promise<readonly [string, string]> {
  await askOften(product, 'sim-leaky', 2);
  const stored = async () =>
    (await admin<{ items: { id: string; stored: boolean }[] }>(product, '/api/turns?model=sim-leaky')).items
      .filter((turn) => turn.stored)
      .map(({ id }) => id);
  await expect.poll(async () => (await stored()).length).toBeGreaterThanOrEqual(2);
  const [newest = '', before = ''] = await stored();
  return [newest, before];
}

test('what the gateway changed in a request is shown line by line, by mouse', async ({ page, product }) => {
  const [id] = await leakyRequests(product);
  await signIn(page, product, `/failures/${id}`);
  await page.getByRole('button', { name: 'Compare…' }).click();
  const panel = page.getByRole('region', { name: 'Compare', exact: true });
  await expect(page).toHaveURL(/compare=sent/);
  await expect(panel.getByRole('status')).toContainText(/only in “Upstream request”|No differences/);
  await page.reload();
  await expect(panel.getByRole('status')).toBeVisible();
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(page).not.toHaveURL(/compare=/);
});

test('of a response with very many calls only visible ones are rendered', async ({ page, product }) => {
  const [id] = await leakyRequests(product);
  await page.route(`**/api/turns/${id}`, async (route) => {
    const reply = await route.fetch();
    const detail = (await reply.json()) as { callList: { n: number; tool: string }[] };
    const [call] = detail.callList;
    const callList = Array.from({ length: 900 }, (_, n) => ({ ...call, n, tool: `tool_${n}` }));
    await route.fulfill({ response: reply, json: { ...detail, callList } });
  });
  await signIn(page, product, `/failures/${id}`);
  const calls = page.getByRole('table', { name: 'Calls' });
  await expect(calls).toHaveAttribute('aria-rowcount', '901');
  await expect(calls).toContainText('tool_0');
  expect(await calls.locator('tbody tr').count()).toBeLessThan(200);
  // The rows beyond the first are loaded as a separate chunk: pressed before that, the key stops too early.
  await expect(async () => {
    await calls.locator('xpath=..').press('End');
    await expect(calls).toContainText('tool_899', { timeout: 500 });
  }).toPass();
});

/** Shows a request whose client sent about a megabyte of messages; `needle` is in a key, and in message 30 twice. */
async function longRequest(page: Page, product: Product): Promise<Locator> {
  const [id] = await leakyRequests(product);
  await page.route(`**/api/turns/${id}`, async (route) => {
    const reply = await route.fetch();
    const detail = (await reply.json()) as { body: object };
    const messages = Array.from({ length: 60 }, (_, n) => ({
      role: 'user',
      content: `${n === 30 ? 'a Needle, a needle ' : ''}${'hay '.repeat(4_400)}`,
    }));
    const clientRequest = JSON.stringify({ needle: true, model: 'sim-leaky', messages });
    await route.fulfill({ response: reply, json: { ...detail, body: { ...detail.body, clientRequest } } });
  });
  await signIn(page, product, `/failures/${id}`);
  return page.getByRole('region', { name: 'Client request', exact: true });
}

/** The words that are highlighted as the current match where they are in view. */
const currentMatch = (page: Page) =>
  page.evaluate(() => {
    const [range] = CSS.highlights.get('json-match-current') ?? [];
    if (!(range instanceof Range)) return null;
    const { left, top, bottom } = range.getBoundingClientRect();
    const shown = document.elementFromPoint(left + 2, (top + bottom) / 2)?.contains(range.startContainer);
    return shown ? range.toString() : null;
  });

test('a long request is searched by keyboard: folds open, and the current match is in view', async ({
  page,
  product,
}) => {
  const lane = await longRequest(page, product);
  const fold = lane.getByRole('button', { name: /54 .*of “messages”/ });
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('/');
  const field = lane.getByRole('textbox', { name: 'Search client request' });
  await expect(field).toBeFocused();
  await page.keyboard.type('needle');
  const count = lane.getByRole('status');
  await expect(count).toHaveText('1 of 3: "needle": true,');
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await expect.poll(() => currentMatch(page)).toBe('needle');
  await page.keyboard.press('Enter');
  await expect(count).toHaveText(/^2 of 3: "content": "a Needle, a needle hay/);
  await expect(fold).toHaveAttribute('aria-expanded', 'true');
  await expect.poll(() => currentMatch(page)).toBe('Needle');
  await page.keyboard.press('Enter');
  await expect(count).toHaveText(/^3 of 3/);
  await page.keyboard.press('Enter');
  await expect(count).toHaveText(/^1 of 3/);
  await page.keyboard.press('Shift+Enter');
  await expect(count).toHaveText(/^3 of 3/);
  await expect.poll(() => currentMatch(page)).toBe('needle');
  await page.keyboard.press('Escape');
  await expect(field).toHaveCount(0);
  await expect.poll(() => currentMatch(page)).toBeNull();
  await expect(lane.getByRole('button', { name: 'Search client request' })).toBeFocused();
});

test('a long request is searched by mouse, in light and dark, without accessibility faults', async ({
  page,
  product,
}) => {
  test.setTimeout(120_000);
  const lane = await longRequest(page, product);
  await lane.getByRole('button', { name: 'Search client request' }).click();
  await lane.getByRole('textbox', { name: 'Search client request' }).fill('HAY');
  const count = lane.getByRole('status');
  await expect(count).toHaveText(/^1 of 10,000\+: "content": "hay/);
  await lane.getByRole('button', { name: 'Next match' }).click();
  await lane.getByRole('button', { name: 'Next match' }).click();
  await expect(count).toHaveText(/^3 of 10,000\+/);
  await lane.getByRole('button', { name: 'Previous match' }).click();
  await expect(count).toHaveText(/^2 of 10,000\+/);
  await expect.poll(() => currentMatch(page)).toBe('hay');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page, { include: '[aria-label="Client request"]' })).toEqual([]);
    await lane.screenshot({ path: `.cache/shots/search-${colorScheme}.png` });
  }
  await page.setViewportSize({ width: 360, height: 800 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth))
    .toBeLessThanOrEqual(0);
  await lane.screenshot({ path: '.cache/shots/search-360.png' });
  await lane.getByRole('textbox', { name: 'Search client request' }).fill('straw');
  await expect(count).toHaveText('No matches');
  await expect(lane.getByRole('button', { name: 'Next match' })).toBeDisabled();
  await lane.getByRole('button', { name: 'Close search' }).click();
  await expect(count).toHaveCount(0);
});

test('two requests are compared by keyboard only; the address contains both', async ({ page, product }) => {
  const [id, other] = await leakyRequests(product);
  await signIn(page, product, `/failures/${id}`);
  const open = page.getByRole('button', { name: 'Compare…' });
  await expect(open).toBeVisible();
  await tabTo(page, open);
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Compare', exact: true });
  const field = panel.getByRole('textbox', { name: 'Another request' });
  await expect(field).toBeVisible();
  await tabTo(page, field);
  await page.keyboard.type(other);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`with=${other}`));
  await expect(panel.getByRole('status')).toBeVisible();
  await field.fill('turn_01999999999970008000000000000000');
  await field.press('Enter');
  await expect(panel.getByText('Request ID')).toBeVisible();
});

test('a bug report is copied, with the model output and without the client’s identity', async ({
  page,
  product,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const [id] = await leakyRequests(product);
  await signIn(page, product, `/failures/${id}`);
  await page.getByRole('button', { name: 'Copy as…' }).click();
  await page.getByRole('menuitem', { name: 'Bug report in Markdown' }).click();
  await expect(page.getByText('Bug report copied')).toBeVisible();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toMatch(/^# Tool calling: .*LeakedCall/);
  expect(report).toContain('## Model output');
  expect(report).not.toContain(product.apiKey);
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing where requests are compared, ${colorScheme}; nothing is cut off at 360 pixels`, async ({
    page,
    product,
  }) => {
    const [id] = await leakyRequests(product);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await signIn(page, product, `/failures/${id}?compare=sent`);
    await expect(page.getByRole('region', { name: 'Compare', exact: true }).getByRole('status')).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
    for (const width of [360, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: `.cache/shots/compare-${width}-${colorScheme}.png`, fullPage: true });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
    }
  });
