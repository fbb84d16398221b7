import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, expect, test } from '@playwright/test';
import { type Product, startProduct } from '../product.ts';
import { signIn } from './steps.ts';

const turns = 300_000;
const usableMs = 1_500;

let folder: string;
let product: Product;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  folder = mkdtempSync(join(tmpdir(), 'callsmith-large-'));
  chmodSync(folder, 0o755); // as root, the database server runs under another account
  const seed = ['tools/run.mjs', 'tools/seed-record.ts', String(turns), '2', folder];
  const { status, stderr } = spawnSync(process.execPath, seed, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  product = await startProduct({ env: { DATA_DIR: folder } });
});
test.afterAll(async () => {
  await product.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('with 300 000 turns Overview is usable within 1.5 s, with at most six requests', async ({ browser }) => {
  const page = await browser.newPage({ baseURL: product.url });
  await signIn(page, product);
  const state = await page.context().storageState();
  await page.context().close();
  const first = await load(browser, state);
  expect(first.summary).toMatch(/^1\d\d,\d{3} requests in the last 24 hours/);
  expect(first.requestUrls.length, first.requestUrls.join(', ')).toBeLessThanOrEqual(6);
  // Other work on the machine may interfere: the best of several runs counts.
  let ms = first.ms;
  for (let tries = 1; tries < 6 && ms > usableMs; tries++) ms = Math.min(ms, (await load(browser, state)).ms);
  expect(ms).toBeLessThanOrEqual(usableMs);
});

test('with 300 000 turns the facets of Transcripts count the newest 50 000, say so, and stay fast', async ({
  browser,
}) => {
  const page = await browser.newPage({ baseURL: product.url });
  await signIn(page, product, '/transcripts');
  const facets = page.getByRole('region', { name: 'Filters' });
  await expect(facets.getByRole('status')).toHaveText(/^50,000 results in the newest 50,000 requests; counts with \+/);
  const began = Date.now();
  // Eight of the twelve models happen to be shown.
  await facets
    .getByRole('button', { name: /^Model \d/ })
    .first()
    .click();
  await expect(facets.getByRole('button', { name: /^Model \d/, pressed: true })).toHaveCount(1);
  // One model has fewer, found by its index.
  await expect(facets.getByRole('status')).toHaveText(/^1\d,\d{3} results/);
  expect(Date.now() - began).toBeLessThan(2 * usableMs);
  await page.context().close();
});

/**
 * Opens Overview in a browser with an empty cache: the time until tiles, rows and chart are visible, and the requests.
 */
async function load(browser: Browser, storageState: Awaited<ReturnType<BrowserState>>) {
  const context = await browser.newContext({ baseURL: product.url, storageState });
  const page = await context.newPage();
  const requestUrls: string[] = [];
  page.on('request', (request) => request.url().includes('/api/') && requestUrls.push(request.url()));
  await page.goto('/', { waitUntil: 'commit' });
  const usable = await page.waitForFunction(
    () => {
      const rows = document.querySelectorAll('table[aria-label="Malformed rate by model"] tbody tr');
      const drawn = document.querySelector('svg[role="application"] > path');
      return rows.length >= 12 && drawn ? performance.now() : false;
    },
    null,
    { polling: 'raf' },
  );
  const ms = Number(await usable.jsonValue());
  const summary = await page.getByText(/requests in the last/).innerText();
  await context.close();
  return { ms, summary, requestUrls };
}

type BrowserState = Awaited<ReturnType<Browser['newContext']>>['storageState'];
