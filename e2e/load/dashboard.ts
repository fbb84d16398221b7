import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startSimulator } from '@callsmith/simulator';
import { chromium, type Page, type Request } from '@playwright/test';
import { browserFlags, browserPath } from '../browser.ts';
import { ask, signIn, untilFailed } from '../dashboard/steps.ts';
import { type Product, startProduct } from '../product.ts';

const REQUESTS = 300_000;
const MOST_BYTES = 250_000;
const MOST_CHANGE_MS = 100;
const MOST_STEPS = 5;
const ROUNDS = 5;

/** A metric with its limit; without one, it is only reported. */
interface Figure {
  readonly title: string;
  readonly measured: number;
  readonly unit: string;
  readonly most?: number;
}

/** Measures the dashboard's size and speed over many recorded requests. True if every metric is within its limit. */
export async function measureDashboard(print: (text: string) => void): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-dashboard-'));
  chmodSync(folder, 0o755); // as root, the database server runs under another account
  const root = resolve(import.meta.dirname, '../..');
  const seed = ['tools/run.mjs', 'tools/seed-record.ts', String(REQUESTS), '2', folder];
  execFileSync(process.execPath, seed, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const simulator = await startSimulator();
  const product = await startProduct({ upstreamUrl: simulator.url, env: { DATA_DIR: folder } });
  const executablePath = await browserPath();
  const browser = await chromium.launch({
    args: browserFlags,
    ...(executablePath !== undefined && { executablePath }),
  });
  try {
    const page = await browser.newPage({ baseURL: product.url, viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    const figures = [...(await weights(page, product))];
    for (const part of [pageChanges, spikeToFix, findOneRequest]) figures.push(...(await part(page, product)));
    print(`| dashboard, ${REQUESTS.toLocaleString('en')} recorded requests | measured | most |\n|---|---|---|`);
    for (const { title, measured, unit, most } of figures)
      print(`| ${title} | ${Math.round(measured)} ${unit} | ${most === undefined ? '' : `${most} ${unit}`} |`);
    return figures.every(({ measured, most }) => most === undefined || measured <= most);
  } finally {
    await browser.close();
    await product.stop();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bytes of a first load, by the browser's accepted encodings: brotli only by HTTPS and from this machine. */
async function weights(page: Page, product: Product): Promise<Figure[]> {
  await page.goto('/sign-in');
  const signInPage = await loaded(page);
  await signIn(page, product, '/?range=1h');
  await page.getByRole('application', { name: /^Calls by outcome/ }).waitFor();
  await page.reload();
  await page.getByRole('application', { name: /^Calls by outcome/ }).waitFor();
  const overview = await loaded(page);
  const figures: Figure[] = [];
  for (const [name, addresses] of [
    ['sign-in page', signInPage],
    ['Overview', overview],
  ] as const)
    for (const encoding of ['gzip', 'br']) {
      const sizes = await Promise.all(addresses.map((address) => encodedSize(page, address, encoding)));
      figures.push({
        title: `first load of ${name}, ${encoding}`,
        measured: sizes.reduce((sum, size) => sum + size, 0),
        unit: 'bytes',
        most: MOST_BYTES,
      });
    }
  return figures;
}

/** The page and everything that it has loaded once the network is idle. */
async function loaded(page: Page): Promise<string[]> {
  await page.waitForLoadState('networkidle');
  return page.evaluate(() => [
    ...new Set([location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)]),
  ]);
}

async function encodedSize(page: Page, address: string, encoding: string): Promise<number> {
  const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  return new Promise((done, failed) =>
    get(address, { headers: { 'accept-encoding': encoding, cookie: cookies } }, (reply) => {
      let size = 0;
      reply.on('data', (part: Buffer) => {
        size += part.length;
      });
      reply.on('end', () => done(size));
    }).on('error', failed),
  );
}

/**
 * From a click in the menu back to a page that was left a moment ago, until it is shown: its data are warm. Each click
 * waits until the last page's requests are answered, because the database here uses the browser's own processors.
 */
async function pageChanges(page: Page): Promise<Figure[]> {
  const settled = untilSettled(page);
  await page.goto('/');
  const menu = page.getByRole('navigation');
  await menu.getByRole('link').first().waitFor();
  const names = (await menu.getByRole('listitem').allInnerTexts()).map((name) => name.trim());
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const [place, name] of names.entries()) {
      for (const before of [name, names[place === 0 ? 1 : 0] ?? '']) {
        await settled();
        await changeTo(page, before);
      }
      await settled();
      const ms = await changeTo(page, name);
      if (round > 0) times.get(name)?.push(ms);
    }
  return [...times].map(([name, all]) => ({
    title: `page change to ${name}, warm, median of ${ROUNDS}`,
    measured: all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN,
    unit: 'ms',
    most: MOST_CHANGE_MS,
  }));
}

/** Returns a function that resolves when no request of the page has been open for 200 ms. */
function untilSettled(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let changedAt = Date.now();
  const changed = (change: (request: Request) => void) => (request: Request) => {
    change(request);
    changedAt = Date.now();
  };
  page.on(
    'request',
    changed((request) => open.add(request)),
  );
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(
      event as 'requestfinished',
      changed((request) => open.delete(request)),
    );
  return async () => {
    while (open.size > 0 || Date.now() - changedAt < 200) await page.waitForTimeout(50);
  };
}

const changeTo = (page: Page, name: string): Promise<number> =>
  page.evaluate(async (wanted) => {
    const link = [...document.querySelectorAll<HTMLElement>('li a')].find((one) => one.textContent?.trim() === wanted);
    const began = performance.now();
    link?.click();
    const stands = () =>
      document.querySelector('h1')?.textContent === wanted && document.querySelector('[aria-busy="true"]') === null;
    while (!stands()) await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - began;
  }, name);

/** From a model that fails to the chart that shows the fix. */
async function spikeToFix(page: Page, product: Product): Promise<Figure[]> {
  await untilFailed(product, 'sim-flaky', 3);
  await page.goto('/?range=1h');
  return timed('spike to fix', [
    () => page.getByRole('table', { name: 'Malformed rate by model' }).getByRole('link', { name: 'sim-flaky' }).click(),
    () => page.getByRole('link', { name: 'Change strategy…' }).click(),
    async () => {
      await page.getByRole('button', { name: /^Try on the last/ }).click();
      await page
        .getByRole('status')
        .filter({ hasText: /^Done: / })
        .waitFor();
    },
    () => page.getByRole('button', { name: 'Switch to prompt' }).click(),
    async () => {
      await page.getByRole('button', { name: 'Show chart' }).click();
      await page.getByRole('heading', { name: 'Outcomes of sim-flaky' }).waitFor();
    },
  ]);
}

/** From words that a developer remembers to the model output. */
async function findOneRequest(page: Page, product: Product): Promise<Figure[]> {
  const word = `needle${Date.now()}`;
  await ask(product, 'sim-leaky', { file: `src/${word}.txt` });
  await page.goto('/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  return timed('find that one request', [
    () => page.keyboard.press('Control+k'),
    async () => {
      await dialog.getByPlaceholder(/request ID/).fill(word);
      await dialog.getByRole('option', { name: /^Search requests for/ }).waitFor();
      await page.keyboard.press('Enter');
    },
    () => page.getByRole('table', { name: 'Requests' }).locator('tbody tr a').first().click(),
    () => page.getByRole('region', { name: 'Client request', exact: true }).getByText(word).first().waitFor(),
  ]);
}

async function timed(title: string, steps: readonly (() => Promise<unknown>)[]): Promise<Figure[]> {
  const began = performance.now();
  for (const step of steps) await step();
  return [
    { title: `${title}: steps`, measured: steps.length, unit: 'steps', most: MOST_STEPS },
    { title: `${title}: a hand that does not think`, measured: performance.now() - began, unit: 'ms' },
  ];
}
