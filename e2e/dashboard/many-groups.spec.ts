import { type Browser, expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { insertRows } from '../../libs/data/src/record/insert.ts';
import { failedTurn, rowsOf, testCall, testTurn } from '../../libs/data/src/record/test-turns.ts';
import { type FaultyProduct, startFaultyProduct } from './faulty-product.ts';
import { admin, signIn } from './steps.ts';

const groups = 260;
let stage: FaultyProduct;
const at = (n: number): Date => new Date(Date.now() - 60_000 - n * 1_000);
let failed: (n: number, shape: string, tool?: string) => Parameters<typeof rowsOf>[0];

test.beforeAll(async () => {
  test.setTimeout(120_000);
  stage = await startFaultyProduct();
  const { items } = await admin<{ items: { id: string; name: string }[] }>(stage.product, '/api/models');
  const model = items.find(({ name }) => name === 'sim-native');
  const mine = { model: 'sim-native', modelId: model?.id ?? null };
  failed = (n, shape, tool = `tool_${n}`) =>
    failedTurn({
      ...mine,
      at: at(n),
      calls: [testCall({ outcome: 'failed', classes: ['InvalidJson'], tool, shape })],
    });
  const turns = [
    ...Array.from({ length: groups - 4 }, (_, n) => failed(n, 'one')),
    // Two that look the same.
    ...Array.from({ length: 196 }, (_, n) => failed(n, 'aaaa11', 'write_file')),
    ...Array.from({ length: 3 }, (_, n) => failed(n, 'bbbb22', 'write_file')),
    // Refused before the model was looked up, as well as after: only the second belong to the model.
    ...Array.from({ length: 5 }, (_, n) =>
      testTurn({
        at: at(n),
        model: 'sim-native',
        modelId: null,
        strategyUsed: null,
        outcome: null,
        status: 400,
        errorCode: 'invalid_tools',
        calls: [],
      }),
    ),
    ...Array.from({ length: 2 }, (_, n) =>
      testTurn({ ...mine, at: at(n), outcome: null, status: 504, errorCode: 'upstream_timeout', calls: [] }),
    ),
  ];
  await insert(turns);
});
test.afterAll(() => stage.stop());

async function insert(turns: readonly Parameters<typeof rowsOf>[0][]): Promise<void> {
  const { host, port, user, password, database } = stage.database;
  const pool = new pg.Pool({ host, port, user, password, database } as pg.PoolConfig);
  await insertRows(
    pool,
    turns.map((turn) => rowsOf(turn, '1.0.0')),
  );
  await pool.end();
}

async function open(browser: Browser, path: string): Promise<Page> {
  const page = await browser.newPage({ baseURL: stage.product.url, viewport: { width: 1280, height: 800 } });
  await signIn(page, stage.product, path);
  return page;
}

test('failures in more than 200 groups are all listed, and only visible ones are rendered', async ({ browser }) => {
  const page = await open(browser, '/failures?range=1h');
  await expect(page.getByText(`${groups - 4 + 199 + 7} failures in the last hour, in ${groups} groups`)).toBeVisible();
  const list = page.getByRole('list', { name: 'Failure groups' });
  const items = list.getByRole('listitem');
  expect(await items.count()).toBeLessThan(40);
  const region = page.getByRole('region', { name: 'Failure groups, list' });
  await expect
    .poll(async () => {
      await region.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return (await items.last().getAttribute('aria-posinset')) ?? '';
    })
    .toBe(String(groups));
  expect(await items.count()).toBeLessThan(40);
});

test('a group links to as many failures as it says, also if another looks the same', async ({ browser }) => {
  const page = await open(browser, '/failures?range=1h');
  const list = page.getByRole('list', { name: 'Failure groups' });
  const first = list.getByRole('listitem').first();
  await expect(first).toContainText('arguments aaaa11');
  await first.getByRole('link', { name: 'Show all 196' }).click();
  await expect(page.getByText('196 failures in the last hour, in 1 group')).toBeVisible();
  const table = page.getByRole('table', { name: 'Failed, invalid and repaired requests' });
  const scroll = page.getByRole('region', { name: /^Failed, invalid and repaired requests, table/ });
  await expect
    .poll(async () => {
      await scroll.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return table.getAttribute('aria-rowcount');
    })
    .toBe('197');
  await page.getByRole('button', { name: 'Clear failure group filter' }).click();
  await expect(page.getByText(`in ${groups} groups`)).toBeVisible();
  // Refused ones, which belong to no model.
  await page.goto('/failures?range=1h&outcome=error');
  await list.getByRole('link', { name: 'Show all 5' }).click();
  await expect(page.getByText('5 failures in the last hour, in 1 group')).toBeVisible();
  await expect(table.locator('tbody tr a')).toHaveCount(5);
});

test('errors are filtered by status and code, failures by tool', async ({ browser }) => {
  const page = await open(browser, '/failures?range=1h');
  await page.getByRole('combobox', { name: 'HTTP status' }).click();
  await page.getByRole('option', { name: '504 2' }).click();
  await expect(page.getByText('2 failures in the last hour')).toBeVisible();
  await expect(page).toHaveURL(/status=504/);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByRole('combobox', { name: 'Error code' }).click();
  await page.getByRole('option', { name: 'invalid_tools 5' }).click();
  await expect(page.getByText('5 failures in the last hour')).toBeVisible();
  await page.goto('/transcripts?range=1h');
  const tools = page.getByRole('group', { name: 'Tool' });
  await tools.getByRole('button', { name: 'write_file 199 requests' }).click();
  await expect(page.getByRole('region', { name: 'Filters' }).getByRole('status')).toHaveText('199 results.');
  await expect(page.getByRole('group', { name: 'HTTP status' }).getByRole('button')).toHaveText(/^200199/);
});

test('a search of frequent words looks at the newest requests, and at older ones when asked to', async ({
  browser,
}) => {
  const times = 6_050; // a search looks at 2,000 of them for one page
  await insert(
    Array.from({ length: times }, (_, n) =>
      testTurn({
        at: new Date(Date.now() - 7_200_000 - n * 10),
        model: 'sim-native',
        client: n === times - 1 ? 'the-first' : 'cline',
        body: {
          clientRequest: JSON.stringify({ input: 'mend the anvil' }),
          upstreamRequest: null,
          raw: [],
          delivered: [],
          notes: [],
          settings: {},
        },
      }),
    ),
  );
  const page = await open(browser, '/transcripts?range=6h&text=anvil');
  const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr a');
  await expect(rows.first()).toBeVisible();
  const older = page.getByRole('button', { name: 'Search older requests' });
  await expect(older).toHaveCount(0);
  await page.goto('/transcripts?range=6h&text=anvil&client=the-first');
  await expect(page.getByText(/^No match back to/)).toBeVisible();
  await older.click();
  await expect(rows).toHaveCount(1);
  await expect(older).toHaveCount(0);
});

test('groups do not move away under the pointer', async ({ browser }) => {
  test.setTimeout(90_000);
  const page = await open(browser, '/failures?range=1h');
  const items = page.getByRole('list', { name: 'Failure groups' }).getByRole('listitem');
  await expect(items.first()).toContainText('arguments aaaa11');
  await items.first().hover();
  await insert(Array.from({ length: 300 }, (_, n) => failed(n, 'bbbb22', 'write_file')));
  const other = items.filter({ hasText: 'arguments bbbb22' });
  await expect(other.getByText('303', { exact: true })).toBeVisible({ timeout: 40_000 });
  await expect(items.first()).toContainText('arguments aaaa11');
  await page.mouse.move(5, 5);
  await expect(items.first()).toContainText('arguments bbbb22');
});
