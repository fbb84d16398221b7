import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults, untilStill } from './accessibility.ts';
import { furtherScreensOf, openScreens, type Screens, screensOf } from './screens.ts';
import { askOften, openLoaded, signIn, untilFailed } from './steps.ts';

/** The rules whose result can differ between light and dark. */
const colourRules = ['color-contrast', 'link-in-text-block'];

test.beforeEach(async ({ product }) => {
  await askOften(product, 'sim-leaky', 2);
  await untilFailed(product, 'sim-flaky', 1);
});

// Checking every screen takes minutes; the parts run beside one another.
test.describe.configure({ mode: 'parallel' });
const parts = ['first', 'second'];

for (const [part, name] of parts.entries())
  test(`every screen, ${name} half: at most six requests, no error in the console, nothing from elsewhere; accessible in light and dark; fits 360 and 1920 pixels`, async ({
    page,
    product,
  }) => {
    test.setTimeout(900_000);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const watched = watch(page, product);
    const found: string[] = [];
    const visit = async (screens: Screens, mostRequests = Number.POSITIVE_INFINITY) => {
      for (const [name, path] of screens.filter((_, place) => place % parts.length === part)) {
        // The page that is left polls until the next one is there.
        await page.goto('about:blank');
        watched.requests.clear();
        await openLoaded(page, path);
        await untilStill(page);
        if (watched.requests.size > mostRequests) found.push(`${name}: requests ${[...watched.requests].join(', ')}`);
        for (const fault of [...(await faultsOfColours(page)), ...(await faultsOfWidths(page))])
          found.push(`${name}: ${fault}`);
      }
    };
    await visit(openScreens);
    await signIn(page, product);
    watched.problems.length = 0; // the request that was answered with 401 was one
    await visit(await screensOf(product), 6);
    await visit(await furtherScreensOf(product));
    expect([...found, ...watched.problems]).toEqual([]);
  });

/** What a page requests and reports from now on; a request to another origin is a problem. */
function watch(page: Page, product: Product): { readonly requests: Set<string>; readonly problems: string[] } {
  const requests = new Set<string>();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== product.url) problems.push(`a request to ${url.origin}`);
    if (url.pathname.startsWith('/api/'))
      requests.add(`${request.method()} ${url.pathname}${url.search.replace(/from=[^&]*/, '')}`);
  });
  return { requests, problems };
}

/** Accessibility faults in light, and in dark those that can differ. */
async function faultsOfColours(page: Page): Promise<string[]> {
  const light = await accessibilityFaults(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await accessibilityFaults(page, { rules: colourRules });
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((fault) => `dark: ${fault}`)];
}

/** Whether the page is wider than a narrow or a wide window. */
async function faultsOfWidths(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const size = page.viewportSize();
  for (const width of [360, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await untilStill(page);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0) faults.push(`${beyond} pixels wider than ${width}`);
  }
  if (size) await page.setViewportSize(size);
  return faults;
}

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
