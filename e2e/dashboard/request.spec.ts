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
