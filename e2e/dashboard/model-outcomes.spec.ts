import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, askOften, signIn, tabTo } from './steps.ts';

async function leakyId(product: Product): Promise<string> {
  await askOften(product, 'sim-leaky', 2);
  const { items } = await admin<{ items: { id: string; name: string }[] }>(product, '/api/models');
  const id = items.find(({ name }) => name === 'sim-leaky')?.id ?? '';
  const tools = async () => (await admin<{ tools: unknown[] }>(product, `/api/models/${id}/breakdown`)).tools.length;
  await expect.poll(tools).toBeGreaterThan(0);
  return id;
}

test('a model’s detailed outcomes are loaded when they are opened, by keyboard, and link to failures', async ({
  page,
  product,
}) => {
  const id = await leakyId(product);
  await signIn(page, product);
  const requestedPaths: string[] = [];
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname));
  await page.goto(`/models/${id}`);
  const show = page.getByRole('button', { name: 'Show', exact: true });
  await expect(show).toBeVisible();
  expect(requestedPaths.filter((path) => path.endsWith('/breakdown') || path.endsWith('/overview'))).toEqual([]);
  await tabTo(page, show);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/breakdown=open/);
  await expect(page.getByRole('table', { name: 'By client' })).toBeVisible();
  await expect(page.getByRole('application', { name: /Calls by outcome over time/ })).toBeVisible();
  await page.getByRole('table', { name: 'By tool' }).getByRole('link', { name: 'read_file' }).click();
  await expect(page).toHaveURL(/\/failures\?model=sim-leaky&tool=read_file/);
});

for (const scheme of ['light', 'dark'] as const)
  test(`a model’s detailed outcomes have no accessibility violations and fit 360 pixels, ${scheme}`, async ({
    page,
    product,
  }) => {
    const id = await leakyId(product);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await signIn(page, product);
    for (const width of [360, 1920]) {
      await page.setViewportSize({ width, height: 1200 });
      await page.goto(`/models/${id}?breakdown=open&range=1h`);
      await expect(page.getByRole('application', { name: /Calls by outcome over time/ })).toBeVisible();
      expect(await accessibilityFaults(page)).toEqual([]);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(beyond).toBeLessThanOrEqual(0);
      await page.screenshot({ path: `.cache/screenshots/breakdown-${scheme}-${width}.png`, fullPage: true });
    }
  });
