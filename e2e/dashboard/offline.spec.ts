import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { askOften, signIn } from './steps.ts';

test('offline, the dashboard says so, keeps its content, and recovers automatically', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/?range=1h');
  const notice = page.getByRole('status').filter({ hasText: 'You are offline' });
  const chart = page.getByRole('application', { name: /Calls by outcome over time/ });
  await expect(chart).toBeVisible();
  await page.context().setOffline(true);
  await expect(notice).toContainText('What you see was loaded before');
  await expect(chart).toBeVisible();
  await page.context().setOffline(false);
  await expect(notice).toBeHidden();
});

test('a page whose code was not loaded yet opens automatically once the browser is online again', async ({
  page,
  product,
}) => {
  await signIn(page, product, '/?range=1h');
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Audit' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'You are offline' });
  await expect(failed).toContainText('opens by itself');
  await expect(failed.getByRole('button', { name: 'Try again' })).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: 'Audit', level: 1 })).toBeVisible();
});

test('opened while the gateway is stopped, a page says so, and opens automatically once it is back', async ({
  browser,
  product,
}) => {
  test.setTimeout(120_000);
  const way = await wayTo(product);
  const context = await browser.newContext({ baseURL: way.url, viewport: { width: 360, height: 640 } });
  const page = await context.newPage();
  try {
    await signIn(page, product, '/?range=1h');
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await way.close();
    await page.goto('/keys');
    await expect(page.getByRole('heading', { name: 'Callsmith does not answer' })).toBeVisible();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('heading', { name: 'Callsmith does not answer' })).toBeVisible();
    await way.open();
    await expect(page.getByRole('heading', { name: 'Keys', level: 1 })).toBeVisible({ timeout: 30_000 });
    expect(new URL(page.url()).pathname).toBe('/keys');
  } finally {
    await context.close();
    await way.close();
  }
});

test('with the gateway stopped, the dashboard says so and keeps its content; “Try again” reconnects', async ({
  browser,
  product,
}) => {
  test.setTimeout(120_000);
  const way = await wayTo(product);
  const context = await browser.newContext({ baseURL: way.url });
  const page = await context.newPage();
  try {
    await askOften(product, 'sim-leaky', 2);
    await signIn(page, product, '/?range=1h');
    const rows = page.getByRole('row').filter({ hasText: 'sim-leaky' });
    await expect(rows.first()).toBeVisible();
    const before = await rows.count();
    await way.close();
    const notice = page.getByRole('status').filter({ hasText: 'The gateway is not responding' });
    await expect(notice).toBeVisible({ timeout: 20_000 });
    await expect(rows).toHaveCount(before);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(notice).toBeVisible();
    await way.open();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(notice).toBeHidden();
    await expect(rows.first()).toBeVisible();
  } finally {
    await context.close();
    await way.close();
  }
});

/** An address that forwards to the gateway while it is open, as if the gateway ran there. */
async function wayTo({ port }: Product) {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const listen = (at: number) =>
    new Promise<number>((resolve) => {
      const opened = createServer((near) => {
        const far = connect(port, '127.0.0.1');
        for (const socket of [near, far]) {
          sockets.add(socket);
          socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
        }
        near.pipe(far).pipe(near);
      });
      server = opened;
      opened.listen(at, '127.0.0.1', () => resolve((opened.address() as { port: number }).port));
    });
  const at = await listen(0);
  return {
    url: `http://127.0.0.1:${at}`,
    open: async () => void (await listen(at)),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => (server?.listening ? server.close(resolve) : resolve(undefined)));
    },
  };
}
