import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, ask, askOften, askStreamed, signIn, untilFailed } from './steps.ts';

test('A-6: a failure shows the model output beside the response to the client', async ({ page, product }) => {
  await untilFailed(product, 'sim-flaky', 1);
  await signIn(page, product, '/failures?model=sim-flaky&outcome=failed');
  const detail = page.getByRole('region', { name: 'Selected failure' });
  for (const lane of ['Model output', 'Response to client', 'Client request', 'Upstream request'])
    await expect(detail.getByRole('region', { name: lane, exact: true })).toBeVisible();
  await expect(detail.getByRole('region', { name: 'Client request', exact: true })).toContainText('read_file');
  await expect(detail.getByRole('list', { name: 'Findings' })).not.toBeEmpty();
  await expect(detail.getByRole('region', { name: 'Timing', exact: true })).toContainText('gateway overhead');
  await expect(detail.getByRole('region', { name: 'Settings in effect' })).toContainText('buffer tool calls');
  await detail.getByRole('link', { name: 'Open full page' }).click();
  await expect(page.getByRole('heading', { name: 'sim-flaky', level: 1 })).toBeVisible();
});

test('a rescued call is in the model output and among the calls of the response', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/failures?model=sim-leaky');
  const detail = page.getByRole('region', { name: 'Selected failure' });
  await expect(detail.getByRole('list', { name: 'Findings' })).toContainText('LeakedCall');
  await expect(detail.getByRole('region', { name: 'Response to client', exact: true })).toContainText(
    'finish_reason: tool_calls',
  );
});

/** The turn of a model that wrote `text`, once it is recorded. */
async function turnThatSaid(product: Product, model: string, text: string): Promise<{ id: string; raw: string }> {
  let found: { id: string; raw: string } | undefined;
  await expect
    .poll(async () => {
      const path = `/api/failures?limit=5&model=${model}`;
      const { items } = await admin<{ items: { id: string }[] }>(product, path);
      for (const { id } of items) {
        const { body } = await admin<{ body: { raw: { text: string }[] } | null }>(product, `/api/turns/${id}`);
        const raw = body?.raw[0]?.text ?? '';
        if (raw.includes(text)) found = { id, raw };
      }
      return found;
    })
    .toBeDefined();
  return found as { id: string; raw: string };
}

test('D-29 a leaked call is marked in the model output, with its class and bytes', async ({ page, product }) => {
  const file = `né🙂-${Date.now()}.txt`;
  await ask(product, 'sim-leaky', { prompt: `Read the file '${file}'` });
  const { id, raw } = await turnThatSaid(product, 'sim-leaky', file);
  const call = raw.slice(raw.indexOf('<tool_call>'), raw.indexOf('</tool_call>') + '</tool_call>'.length);
  const from = Buffer.byteLength(raw.slice(0, raw.indexOf(call)));
  const label = `LeakedCall, bytes ${from} to ${from + Buffer.byteLength(call)}`;
  await signIn(page, product, `/failures/${id}`);
  const lane = page.getByRole('region', { name: 'Model output', exact: true });
  const mark = lane.locator('mark');
  await expect(mark).toHaveText(call, { useInnerText: true });
  await expect(mark).toHaveAttribute('title', `${label}: extracted from text`);
  await expect(lane.getByText(label, { exact: true })).toBeVisible();
});

test('as a list: filters and the selected request are in the address', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 3);
  await signIn(page, product, '/failures?view=list&model=sim-leaky&class=LeakedCall');
  const rows = page.getByRole('table', { name: 'Failed, invalid and repaired requests' }).getByRole('row');
  await expect(rows.nth(2)).toBeVisible();
  await rows.nth(2).getByRole('link').click();
  await expect(page).toHaveURL(/turn=turn_/);
  const turn = new URL(page.url()).searchParams.get('turn') ?? '';
  await page.reload();
  await expect(page.locator('[aria-current="true"]')).toHaveAttribute('href', new RegExp(turn));
  await expect(page.getByRole('region', { name: 'Selected failure' })).toContainText(turn);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect(page).not.toHaveURL(/class=/);
});

test('security 16: markup in a file name, a description or a tool name is shown as text, everywhere', async ({
  page,
  product,
}) => {
  const markup = '<img src=x onerror=hurt()>';
  const tool = (name: string) => ({
    type: 'function',
    function: {
      name,
      description: markup,
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  });
  await ask(product, 'sim-leaky', { prompt: `Read the file '${markup}.txt'`, tools: [tool('read_file')] });
  const refused = await ask(product, 'sim-leaky', { tools: [tool(`read_file${markup}`)] });
  expect(refused.body.error?.message).toContain(markup);
  await signIn(page, product, '/failures?model=sim-leaky&class=LeakedCall&view=list');
  const detail = page.getByRole('region', { name: 'Selected failure' });
  for (const lane of ['Model output', 'Response to client', 'Client request'])
    await expect(detail.getByRole('region', { name: lane, exact: true })).toContainText(markup);
  await expect
    .poll(async () => {
      const { items } = await admin<{ items: { errorMessage: string | null }[] }>(product, '/api/failures?limit=1');
      return items[0]?.errorMessage;
    })
    .toContain(markup);
  // Refused before its model was looked up, so it belongs to none.
  await page.goto('/failures?view=list');
  await expect(detail).toContainText(`read_file${markup}`);
  expect(await page.locator('img[src="x"]').count()).toBe(0);
});

test('a request that was refused before its model was read is called by its route', async ({ page, product }) => {
  const refused = await ask(product, 'sim-native', { key: 'sk-of-nobody-0123456789' });
  expect(refused.status).toBe(401);
  const newest = async () => {
    const { items } = await admin<{ items: { id: string }[] }>(
      product,
      '/api/failures?errorCode=invalid_api_key&limit=1',
    );
    return items[0]?.id;
  };
  await expect.poll(newest).toBeDefined();
  await signIn(page, product, `/failures/${await newest()}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('/v1/chat/completions');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto('/failures?view=list&errorCode=invalid_api_key');
  await expect(page.getByRole('row').nth(1).getByRole('cell').nth(2)).toHaveText('–');
});

test('an empty result says what to do next', async ({ page, product }) => {
  await signIn(page, product, '/failures?tool=no_such_tool');
  await expect(page.getByText(/^No results match these filters\. .* under All\.$/)).toBeVisible();
});

test('j and k go through the failures, o opens one, ? lists the shortcuts and turns them off', async ({
  page,
  product,
}) => {
  await askOften(product, 'sim-leaky', 3);
  await signIn(page, product, '/failures?view=list&model=sim-leaky');
  await expect(
    page.getByRole('table', { name: 'Failed, invalid and repaired requests' }).getByRole('row').nth(3),
  ).toBeVisible();
  const chosen = page.locator('tr a[aria-current="true"]');
  const first = await chosen.getAttribute('href');
  await page.keyboard.press('j');
  await expect(chosen).not.toHaveAttribute('href', first ?? '');
  await expect(page).toHaveURL(/turn=turn_/);
  const second = new URL(page.url()).searchParams.get('turn') ?? '';
  await page.keyboard.press('j');
  await expect(page).not.toHaveURL(new RegExp(second));
  await page.keyboard.press('k');
  await expect(page).toHaveURL(new RegExp(second));
  await page.keyboard.press('Shift+?');
  const dialog = page.getByRole('dialog', { name: 'Help' });
  await expect(dialog).toContainText('select the next failure');
  await dialog.getByRole('switch').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('o');
  await expect(page).toHaveURL(/\/failures\?/);
  await page.getByRole('button', { name: 'Help' }).click();
  await dialog.getByRole('switch').click();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('o');
  await expect(page).toHaveURL(new RegExp(`/failures/${second}`));
});

test('a streamed response is replayed chunk by chunk, by slider and by address', async ({ page, product }) => {
  await askStreamed(product, 'sim-leaky');
  let id = '';
  await expect
    .poll(async () => {
      const { items } = await admin<{ items: { id: string; streamed: boolean; stored: boolean }[] }>(
        product,
        '/api/failures?model=sim-leaky',
      );
      id = items.find(({ streamed, stored }) => streamed && stored)?.id ?? '';
      return id;
    })
    .not.toBe('');
  await signIn(page, product, `/failures/${id}`);
  const lane = page.getByRole('region', { name: 'Model output', exact: true });
  const whole = await lane.getByRole('region').innerText();
  await lane.getByRole('button', { name: /chunks$/ }).click();
  await lane.getByRole('button', { name: 'Previous chunk' }).click();
  await expect(lane.getByRole('status')).toHaveText(/^(\d+) of (\d+)$/);
  const slider = lane.getByRole('slider', { name: 'Chunk' });
  await slider.press('Home');
  await expect(page).toHaveURL(/chunk=1$/);
  const first = await lane.getByRole('region').innerText();
  expect(whole.startsWith(first.trim().slice(0, 1))).toBe(true);
  expect(first.length).toBeLessThan(whole.length);
  await page.reload();
  await expect(lane.getByRole('status')).toHaveText(/^1 of /);
  await lane.getByRole('button', { name: 'Full output' }).click();
  await expect(lane.getByRole('region')).toHaveText(whole, { useInnerText: true });
});

test('an open failure stays while new ones arrive, and is audited once', async ({ page, product }) => {
  await untilFailed(product, 'sim-flaky', 1);
  await signIn(page, product, '/failures?model=sim-flaky&range=1h');
  const detail = page.getByRole('region', { name: 'Selected failure' });
  const read = await detail.getByText(/^turn_/).innerText();
  const list = page.getByRole('list', { name: 'Failure groups' });
  const before = await list.innerText();
  const newestRead = async () =>
    (await admin<{ items: { id: string; targetId: string }[] }>(product, '/api/audit?kind=reads&limit=1')).items[0];
  await expect.poll(async () => (await newestRead())?.targetId).toBe(read);
  const audited = await newestRead();
  await askOften(product, 'sim-flaky', 24);
  // The list contains the new ones.
  await expect.poll(() => list.innerText(), { timeout: 30_000 }).not.toBe(before);
  // Everything that the new list would have caused to load has been requested by the next refresh.
  await page.waitForResponse((reply) => reply.url().includes('/api/failures/clusters'));
  expect(await detail.getByText(/^turn_/).innerText()).toBe(read);
  expect(await newestRead()).toEqual(audited);
  await expect(list.locator('[aria-current="true"]')).toHaveAttribute('href', new RegExp(read));
});
