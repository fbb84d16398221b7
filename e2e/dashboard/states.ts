import type { Page } from '@playwright/test';
import type { FaultyProduct } from './faulty-product.ts';
import { admin, ask } from './steps.ts';

/** A state of a screen besides its full one: brings a page into it and waits until it is shown. */
export interface State {
  readonly name: string;
  readonly show: (page: Page, stage: FaultyProduct) => Promise<void>;
}

const waitForText = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();
const slow = (page: Page, path: string) =>
  page.route(path, async (route) => {
    await new Promise((wait) => setTimeout(wait, 4_000));
    await route.continue().catch(() => undefined);
  });

/** Those of an installation without turns, in order. */
export const emptyStates: readonly State[] = [
  {
    name: 'overview-empty',
    show: async (page) => {
      await page.goto('/');
      await waitForText(page, 'Three steps to the first tool call');
    },
  },
  {
    name: 'failures-empty',
    show: async (page) => {
      await page.goto('/failures');
      await waitForText(page, /No open failures in/);
    },
  },
  {
    name: 'transcripts-empty',
    show: async (page) => {
      await page.goto('/transcripts');
      await waitForText(page, /No requests in/);
    },
  },
  {
    name: 'usage-empty',
    show: async (page) => {
      await page.goto('/usage');
      await waitForText(page, /No requests in/);
    },
  },
  {
    name: 'overview-refused',
    show: async (page, { product }) => {
      await ask(product, 'sim-native', { key: 'sk-of-nobody-0123456789' });
      await page.goto('/');
      await waitForText(page, /connected, but was refused with/);
    },
  },
];

/** Those of an installation with turns, in order: the last page is a viewer's. */
export const states: readonly State[] = [
  {
    name: 'overview-loading',
    show: async (page) => {
      await slow(page, '**/api/stats/overview*');
      await page.goto('/?range=1h');
      await page.getByRole('status', { name: 'Loading' }).waitFor();
    },
  },
  {
    name: 'failures-loading',
    show: async (page) => {
      await slow(page, '**/api/failures/clusters*');
      await page.goto('/failures');
      await page.getByRole('status', { name: 'Loading' }).waitFor();
    },
  },
  {
    name: 'transcripts-loading',
    show: async (page) => {
      await slow(page, '**/api/turns*');
      await page.goto('/transcripts');
      await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    },
  },
  {
    name: 'usage-loading',
    show: async (page) => {
      await slow(page, '**/api/stats/usage/over-time*');
      await page.goto('/usage');
      await page.getByRole('status', { name: 'Loading' }).waitFor();
    },
  },
  {
    name: 'overview-partial',
    show: async (page, { database }) => {
      // A roll-up that is blocked: its mark of half an hour ago stays.
      await database.query('BEGIN; LOCK TABLE rollup_mark IN ACCESS EXCLUSIVE MODE');
      await database.query(
        `INSERT INTO rollup_mark (grain, bucket) VALUES ('minute', date_trunc('minute', now() - interval '30 minutes'))`,
      );
      await database.query('COMMIT');
      await page.goto('/?range=1h');
      await waitForText(page, /charts delayed since/);
    },
  },
  {
    name: 'failures-filtered',
    show: async (page) => {
      await page.goto('/failures?tool=no_such_tool&class=Truncated');
      await waitForText(page, 'No results match these filters.');
    },
  },
  {
    name: 'transcripts-filtered',
    show: async (page) => {
      await page.goto('/transcripts?tool=no_such_tool');
      await waitForText(page, 'No results match these filters.');
    },
  },
  {
    name: 'failure-not-found',
    show: async (page) => {
      await page.goto('/failures/turn_01999999999970008000000000000000');
      await waitForText(page, 'Request ID');
    },
  },
  {
    name: 'failure-expired',
    show: async (page, { product, database }) => {
      const { items } = await admin<{ items: { id: string; stored: boolean }[] }>(product, '/api/failures');
      const id = items.find(({ stored }) => stored)?.id ?? '';
      await database.query('DELETE FROM turn_body WHERE turn_id = $1::uuid', [id.replace('turn_', '')]);
      await page.goto(`/failures/${id}`);
      await waitForText(page, 'Message content not available');
    },
  },
  {
    name: 'usage-not-found',
    show: async (page) => {
      await page.goto('/usage?key=key_of_nobody');
      await waitForText(page, 'Request ID');
    },
  },
  {
    name: 'overview-store-down',
    show: async (page, { cut }) => {
      await page.goto('/?range=1h');
      await page.getByRole('table', { name: 'Malformed rate by model' }).waitFor();
      cut();
      await waitForText(page, /The database is unreachable/);
    },
  },
  {
    name: 'failures-store-down',
    show: async (page, { restore }) => {
      await page.getByRole('link', { name: 'Failures', exact: true }).click();
      await waitForText(page, 'The database cannot be reached');
      restore();
    },
  },
  {
    name: 'keys-offline',
    show: async (page) => {
      await page.goto('/?range=1h');
      await page.getByRole('table', { name: 'Malformed rate by model' }).waitFor();
      // The page has noticed that the database is back.
      await page.getByText(/The database is unreachable/).waitFor({ state: 'hidden' });
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Keys', exact: true }).click();
      await waitForText(page, /You are offline/);
    },
  },
  {
    name: 'settings-no-permission',
    show: async (page, { product }) => {
      await page.context().clearCookies();
      const { items } = await admin<{ items: { id: string }[] }>(product, '/api/teams');
      const options = { headers: { 'x-admin-key': product.adminKey } };
      const email = `viewer-${Date.now()}@example.com`;
      const invited = await page.request.post(`${product.url}/api/users`, {
        ...options,
        data: { email, role: 'viewer', teamId: items[0]?.id },
      });
      const { link } = (await invited.json()) as { link: string };
      const token = new URL(link).hash.slice(1);
      await page.request.post(`${product.url}/api/links/use`, { data: { token, password: 'a long enough password' } });
      await page.goto('/settings');
      await waitForText(page, 'Your role does not allow this');
    },
  },
];
