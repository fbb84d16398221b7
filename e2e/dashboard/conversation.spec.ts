import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, signIn, tabTo } from './steps.ts';

const model = 'sim-native';
const message = (role: string, content: string) => ({ role, content });
const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }];

test.beforeEach(async ({ product }) => {
  // All requests without a failure are stored too.
  const reply = await fetch(`${product.url}/api/settings`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-admin-key': product.adminKey },
    body: JSON.stringify({ cleanShare: 1 }),
  });
  expect(reply.status).toBe(200);
});

/** Consecutive requests of one conversation. Returns the ID of the newest one. */
async function converse(product: Product, histories: readonly object[][]): Promise<string> {
  const newest = async () => {
    const { items } = await admin<{ items: { id: string; at: string }[] }>(
      product,
      `/api/turns?model=${model}&limit=1`,
    );
    return items[0]?.id;
  };
  for (const messages of histories) {
    const before = await newest();
    const reply = await fetch(`${product.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, tools }),
    });
    expect(reply.status).toBe(200);
    await reply.text();
    await expect.poll(newest).not.toBe(before);
  }
  return (await newest()) ?? '';
}

/** Three requests of which the last one changed a model's earlier message. */
const changedHistory = () => {
  const first = message('user', `Read the file ${Date.now()}.txt`);
  const second = message('user', 'Go on.');
  return [
    [first],
    [first, message('assistant', 'It is 10:00, I read it.'), second],
    [
      first,
      message('assistant', 'It is 10:05, I read it.'),
      second,
      message('assistant', 'Done.'),
      message('user', 'More.'),
    ],
  ];
};

/** As if the server had the whole first request in its cache for the second one, and nothing for the third. */
const cacheMissedLast = (page: Page) =>
  page.route(/\/api\/turns\?.*conversation=/, async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { items: { inputTokens: number; cachedTokens: number | null }[] };
    const cached = [0, body.items.at(-1)?.inputTokens ?? 0, 0];
    for (const [at, item] of body.items.entries()) item.cachedTokens = cached[at] ?? 0;
    await route.fulfill({ response: reply, json: body });
  });

test('a conversation is shown in order, with what broke the prefix cache', async ({ page, product }) => {
  const id = await converse(product, changedHistory());
  await cacheMissedLast(page);
  await signIn(page, product, `/failures/${id}`);
  await page.getByRole('button', { name: 'Conversation…' }).click();
  await expect(page).toHaveURL(/thread=yes/);
  const panel = page.getByRole('region', { name: 'Conversation', exact: true });
  await expect(panel).toContainText('3 requests, the oldest first; in 1 of them the prefix cache was missed');
  const rows = panel.getByRole('table').getByRole('row');
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(2)).toContainText('kept');
  const ask = rows.nth(3).getByRole('button', { name: 'What changed?' });
  await tabTo(page, ask);
  await page.keyboard.press('Enter');
  const cause = panel.getByRole('status', { name: 'What changed before request 3' });
  await expect(cause).toContainText('Message 2 of 3 (assistant)');
  await expect(cause).toContainText('10:00');
  await expect(cause).toContainText('10:05');
  await rows.nth(1).getByRole('link').click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(rows).toHaveCount(4);
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(page).not.toHaveURL(/thread=/);
});

test('a conversation has no accessibility violations in light and dark, and fits 360 pixels', async ({
  page,
  product,
}) => {
  test.setTimeout(120_000);
  const id = await converse(product, changedHistory());
  await cacheMissedLast(page);
  await signIn(page, product, `/failures/${id}?thread=yes`);
  await page.getByRole('button', { name: 'What changed?' }).click();
  await expect(page.getByText('Message 2 of 3')).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page, { include: '[aria-label="Conversation"]' })).toEqual([]);
  }
  await page.setViewportSize({ width: 360, height: 800 });
  // A drawer follows the window's new width with a transition.
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth))
    .toBeLessThanOrEqual(0);
  await page.screenshot({ path: '.cache/shots/conversation-360.png' });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.screenshot({ path: '.cache/shots/conversation-1280.png' });
});

test('a long history is collapsed to its first and last messages, and expanded by keyboard', async ({
  page,
  product,
}) => {
  const history = Array.from({ length: 41 }, (_, n) =>
    message(n % 2 ? 'assistant' : 'user', `message ${n} of ${Date.now()}`),
  );
  const id = await converse(product, [history]);
  await signIn(page, product, `/failures/${id}`);
  const lane = page.getByRole('region', { name: 'Client request', exact: true });
  await expect(lane).toContainText('message 1 of');
  await expect(lane).toContainText('message 40 of');
  await expect(lane).not.toContainText('message 20 of');
  const fold = lane.getByRole('button', { name: 'Show 35 more of “messages”' });
  await tabTo(page, fold);
  await page.keyboard.press('Enter');
  await expect(lane).toContainText('message 20 of');
  await lane.getByRole('button', { name: 'Fold 35 of “messages”' }).click();
  await expect(lane).not.toContainText('message 20 of');
});
