import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import { accessibilityFaults, untilStill } from './accessibility.ts';
import { furtherScreensOf, openScreens, screensOf } from './screens.ts';
import { askOften, signIn, untilFailed } from './steps.ts';

/** What can differ between the themes; the rest is the same page. */
const colourRules = ['color-contrast', 'link-in-text-block'];

test.beforeEach(async ({ product }) => {
  await askOften(product, 'sim-leaky', 2);
  await untilFailed(product, 'sim-flaky', 1);
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing on any screen, ${colorScheme}`, async ({ page, product }) => {
    test.setTimeout(300_000);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found: string[] = [];
    for (const [name, path] of openScreens) found.push(...(await violationsOf(page, colorScheme, name, path)));
    await signIn(page, product);
    for (const [name, path] of [...(await screensOf(product)), ...(await furtherScreensOf(product))])
      found.push(...(await violationsOf(page, colorScheme, name, path)));
    expect(found).toEqual([]);
  });

async function violationsOf(page: Page, scheme: 'light' | 'dark', name: string, path: string): Promise<string[]> {
  await settled(page, path);
  const faults = await accessibilityFaults(page, scheme === 'light' ? {} : { rules: colourRules });
  return faults.map((fault) => `${name}: ${fault}`);
}

test('no screen is wider than 360 pixels, and none breaks at 1920', async ({ page, product }) => {
  test.setTimeout(180_000);
  await signIn(page, product);
  for (const width of [360, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    for (const [name, path] of [...(await screensOf(product)), ...(await furtherScreensOf(product))]) {
      await settled(page, path);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(beyond, `${name} at ${width}`).toBeLessThanOrEqual(0);
    }
  }
});

test('every screen: at most six requests, no error in the console, nothing from elsewhere', async ({
  page,
  product,
}) => {
  test.setTimeout(180_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await signIn(page, product);
  problems.length = 0; // the request that was answered with 401 was one
  const asked = new Set<string>();
  page.on('request', (request) => {
    const url = new URL(request.url());
    expect(url.origin).toBe(product.url);
    if (url.pathname.startsWith('/api/'))
      asked.add(`${request.method()} ${url.pathname}${url.search.replace(/from=[^&]*/, '')}`);
  });
  for (const [name, path] of await screensOf(product)) {
    asked.clear();
    await settled(page, path);
    expect(asked.size, `${name}: ${[...asked].join(', ')}`).toBeLessThanOrEqual(6);
  }
  expect(problems).toEqual([]);
});

test('the first load of the sign-in page and of Overview is under 250 KB of scripts and styles, gzipped', async ({
  page,
  product,
}) => {
  await page.goto('/sign-in');
  await page.waitForLoadState('networkidle');
  expect(await gzippedSize(page)).toBeLessThan(250_000);
  await signIn(page, product, '/?range=1h');
  await page.reload();
  await expect(page.getByRole('application', { name: /Calls by outcome over time/ })).toBeVisible();
  expect(await gzippedSize(page)).toBeLessThan(250_000);
});

/** The size of the loaded scripts and styles, as a browser gets them by plain HTTP. */
async function gzippedSize(page: Page): Promise<number> {
  const files = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => /\.(?:js|css)$/.test(name)),
  );
  expect(files.length).toBeGreaterThan(1);
  const sizes = await Promise.all(
    files.map(async (url) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('the first load of Overview is at most 250 KB on the wire', async ({ page, product }) => {
  await signIn(page, product, '/?range=1h');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.reload();
  await expect(page.getByRole('application', { name: /Calls by outcome over time/ })).toBeVisible();
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(250_000);
});

test('the page has a policy without unsafe-inline scripts, and runs under it', async ({ page, product }) => {
  const reply = await page.goto(product.url);
  const policy = reply?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe-inline');
  expect(policy).not.toContain('unsafe-eval');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

async function settled(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator('h1').first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await untilStill(page);
}
