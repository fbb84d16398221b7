// `npm run screenshots [folder] [names]`: every screen of the running product in light and dark, narrow and wide, and
// the two pictures of the README; `names` is a pattern where not all are wanted. It starts a product of its own with the
// demo and lets it work for some minutes first.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { browserFlags, browserPath } from './browser.ts';
import { startFaultyProduct } from './dashboard/faulty-product.ts';
import { furtherScreensOf, openScreens, screensOf } from './dashboard/screens.ts';
import { emptyStates, type State, states } from './dashboard/states.ts';
import { askOften, signIn, untilFailed } from './dashboard/steps.ts';
import { type Product, startProduct } from './product.ts';

const root = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? join(root, '.cache/screenshots'));
const wanted = new RegExp(process.argv[3] ?? '');
const minutes = Number(process.env.MINUTES ?? 8);

const sizes = [
  { name: '1440', viewport: { width: 1440, height: 900 } },
  { name: '360', viewport: { width: 360, height: 740 } },
] as const;

mkdirSync(folder, { recursive: true });
const product = await startProduct({ env: { DEMO: 'on' } });
const executablePath = await browserPath();
const browser = await chromium.launch({ args: browserFlags, ...(executablePath !== undefined && { executablePath }) });
try {
  await traffic(product);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const size of sizes) await shoot(size.name, { colorScheme, viewport: size.viewport });
  await shootStates();
  for (const scheme of ['light', 'dark'])
    if (wanted.test(`overview-1440-${scheme}`))
      copyFileSync(join(folder, `overview-1440-${scheme}.png`), join(root, 'docs/images', `overview-${scheme}.png`));
} finally {
  await browser.close();
  await product.stop();
}

/** Sends demo turns for some minutes, and switches a failing model in the middle, so that the charts show a trend. */
async function traffic(product: Product): Promise<void> {
  const request = { method: 'POST', headers: { 'x-admin-key': product.adminKey, 'content-type': 'application/json' } };
  for (let minute = 0; minute < minutes; minute += 0.1) {
    await fetch(`${product.url}/api/demo/turns`, { ...request, body: JSON.stringify({ on: true }) });
    if (Math.abs(minute - minutes * 0.6) < 0.05)
      await product.changeModel('demo-flaky', { strategy: 'prompt', reason: 'One call in four was beyond repair' });
    await new Promise((wait) => setTimeout(wait, 6_000));
  }
}

async function shoot(size: string, options: BrowserContextOptions & { colorScheme: 'light' | 'dark' }): Promise<void> {
  const context = await browser.newContext({ ...options, baseURL: product.url, reducedMotion: 'reduce' });
  const page = await context.newPage();
  for (const [name, path] of openScreens) await picture(page, path, `${name}-${size}-${options.colorScheme}`);
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(product.admin.email);
  await page.getByLabel('Password', { exact: true }).fill(product.admin.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  for (const [name, path] of [...(await screensOf(product)), ...(await furtherScreensOf(product))]) {
    const range = `from=${ago(minutes + 2)}&to=${ago(-1)}`;
    await picture(page, path.replace('range=1h', range), `${name}-${size}-${options.colorScheme}`);
  }
  await context.close();
}

/** Every other state, once. */
async function shootStates(): Promise<void> {
  const stage = await startFaultyProduct();
  const context = await browser.newContext({ baseURL: stage.product.url, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const shootEach = async (each: readonly State[]) => {
    for (const { name, show } of each) {
      await show(page, stage);
      await page.waitForTimeout(300); // alerts have arrived
      if (wanted.test(`state-${name}`)) await page.screenshot({ path: join(folder, `state-${name}.png`) });
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.setOffline(false);
    }
  };
  await signIn(page, stage.product);
  await shootEach(emptyStates);
  await untilFailed(stage.product, 'sim-flaky', 2);
  await askOften(stage.product, 'sim-leaky', 3);
  await shootEach(states);
  await context.close();
  await stage.stop();
}

async function picture(page: Page, path: string, name: string): Promise<void> {
  if (!wanted.test(name)) return;
  const size = page.viewportSize() ?? sizes[0].viewport;
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.waitForTimeout(700); // charts have been measured, dialogs are open
  await growToContent(page, size.width);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.setViewportSize(size);
}

/** Makes the window as high as the page, so that the sidebar, a dialog and sticky elements are not cut off. */
async function growToContent(page: Page, width: number): Promise<void> {
  for (let round = 0; round < 6; round++) {
    const [height, needed] = await page.evaluate(() => {
      const dialog = document.querySelector('[role="dialog"]')?.scrollHeight ?? 0; // as high as 88 % of the window
      return [innerHeight, Math.max(document.documentElement.scrollHeight, Math.ceil(dialog / 0.88) + 4)] as const;
    });
    if (needed <= height) return;
    await page.setViewportSize({ width, height: Math.min(needed, 4_000) });
    await page.waitForTimeout(200); // charts and long tables have been measured again
  }
}

function ago(past: number): string {
  return new Date(Date.now() - past * 60_000).toISOString();
}
