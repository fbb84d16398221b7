import { expect, type Locator, type Page } from '@playwright/test';
import type { Product } from '../product.ts';

/** Signs in as the admin without the sign-in page, which has tests of its own, and opens a screen. */
export async function signIn(page: Page, product: Product, next = '/'): Promise<void> {
  const reply = await page.request.post(`${product.url}/api/session`, { data: product.admin });
  expect(reply.ok(), await reply.text()).toBe(true);
  await page.goto(next);
  await expect(page.getByRole('navigation')).toBeVisible();
}

/** Opens a screen and waits until it shows its content. */
export async function openLoaded(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator('h1').first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

const readFile = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
};

/** Asks a model to read a file with a tool, as a coding client does. Returns the status and the body. */
export async function ask(
  product: Product,
  model: string,
  options: {
    readonly file?: string;
    readonly key?: string;
    readonly tools?: readonly object[];
    readonly prompt?: string;
  } = {},
): Promise<{ status: number; body: { error?: { code: string; message: string } } }> {
  const reply = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key ?? product.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: options.prompt ?? `Read the file ${options.file ?? 'notes.txt'}` }],
      tools: options.tools ?? [readFile],
    }),
  });
  return { status: reply.status, body: (await reply.json()) as { error?: { code: string; message: string } } };
}

/** Requests a streamed response and reads it to its end. */
export async function askStreamed(product: Product, model: string): Promise<string> {
  const reply = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: `Read the file streamed-${Date.now()}.txt` }],
      tools: [readFile],
      stream: true,
    }),
  });
  return reply.text();
}

/** Sends a model several requests, each about another file, so that its faults are drawn again. */
export async function askOften(product: Product, model: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await ask(product, model, { file: `file-${Date.now()}-${n}.txt` });
}

/** Reads from the admin API, as an admin. */
export async function admin<Reply>(product: Product, path: string): Promise<Reply> {
  const reply = await fetch(`${product.url}${path}`, { headers: { 'x-admin-key': product.adminKey } });
  if (!reply.ok) throw new Error(`${path} was refused: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as Reply;
}

/** Writes to the admin API, as an admin. */
export async function adminPost<Reply>(product: Product, path: string, body: object): Promise<Reply> {
  const headers = { 'x-admin-key': product.adminKey, 'content-type': 'application/json' };
  const reply = await fetch(`${product.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${path} was refused: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as Reply;
}

/** Adds a separate model that is the simulator's `upstreamModel`. Returns its id. */
export async function addModel(product: Product, name: string, upstreamModel: string): Promise<string> {
  const { items } = await admin<{ items: { id: string; origin: string }[] }>(product, '/api/upstreams');
  const upstreamId = items.find(({ origin }) => origin === 'env')?.id;
  const { id } = await adminPost<{ id: string }>(product, '/api/models', {
    name,
    routes: [{ upstreamId, upstreamModel }],
  });
  return id;
}

/** Deletes something through the admin API, as an admin. */
export async function adminRemove(product: Product, path: string): Promise<void> {
  const reply = await fetch(`${product.url}${path}`, {
    method: 'DELETE',
    headers: { 'x-admin-key': product.adminKey },
  });
  if (!reply.ok) throw new Error(`${path} was refused: ${reply.status} ${await reply.text()}`);
}

/** Sends requests until a model has at least this many recorded failed turns; recording happens after the response. */
export async function untilFailed(product: Product, model: string, failed: number): Promise<void> {
  await expect
    .poll(
      async () => {
        await askOften(product, model, 6);
        const path = `/api/failures?outcome=failed&limit=50&model=${encodeURIComponent(model)}`;
        return (await admin<{ items: unknown[] }>(product, path)).items.length;
      },
      { timeout: 45_000 },
    )
    .toBeGreaterThanOrEqual(failed);
}

/** Presses Tab until the element has the focus, as keyboard users do. */
export async function tabTo(page: Page, place: Locator): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    if (await place.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${place}`);
}

/**
 * Chooses an option of an open list with the arrow keys. The component sets the list's current position in a timer that
 * starts when the list opens: an arrow key that comes before it highlights an option, but Enter then chooses another.
 */
export async function chooseByArrows(page: Page, option: Locator): Promise<void> {
  await expect(option).toBeVisible();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  for (let presses = 0; presses < 50; presses++) {
    if (await option.getAttribute('data-combobox-selected')) return page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
  }
  throw new Error(`The arrow keys never reached ${option}`);
}
