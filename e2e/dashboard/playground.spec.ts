import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { addModel, admin, adminRemove, chooseByArrows, signIn, tabTo } from './steps.ts';

const idOf = async (product: Product, name: string): Promise<string> => {
  const { items } = await admin<{ items: { id: string; name: string }[] }>(product, '/api/models');
  return items.find((model) => model.name === name)?.id ?? '';
};
const answerOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
/** Sends a request for which the model calls `read_file`. */
const sendByKeyboard = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message 2' }).fill('Read the file notes.txt');
  await tabTo(page, page.getByRole('button', { name: 'Send', exact: true }));
  await page.keyboard.press('Enter');
};
/** Raw, Parsed or Delivered of a column. */
const laneOf = (page: Page, lane: string, name: string): Locator => answerOf(page, `${lane}, ${name}`);

test('two models answer side by side, by mouse: raw, parsed, delivered; nothing is recorded', async ({
  page,
  product,
}) => {
  const [native, leaky] = [await idOf(product, 'sim-native'), await idOf(product, 'sim-leaky')];
  const turns = async () => (await admin<{ items: { id: string }[] }>(product, '/api/turns?limit=1')).items[0]?.id;
  await signIn(page, product);
  await page.getByRole('link', { name: 'Playground' }).click();
  await expect(page.getByRole('heading', { name: 'Playground', level: 1 })).toBeVisible();
  await page.goto(`/playground?columns=${native}~native`);
  await page.getByRole('button', { name: 'Add column' }).click();
  await page.getByRole('combobox', { name: 'Model, column 2' }).click();
  await page.getByRole('option', { name: 'sim-leaky', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`${leaky}(~|%7E)native`));
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'opencode' }).click();
  await expect(page.getByRole('textbox', { name: 'Tools' })).toHaveValue(/"filePath"/);
  await page.getByRole('textbox', { name: 'Message 2' }).fill('Read the file notes.txt');
  const before = await turns();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const [one, two] = ['1: sim-native, native', '2: sim-leaky, native'] as const;
  for (const name of [one, two]) {
    await expect(laneOf(page, 'Parsed', name)).toContainText('read');
    await expect(laneOf(page, 'Raw', name)).toContainText('notes.txt');
    await expect(laneOf(page, 'Delivered', name)).toContainText('tool_calls');
  }
  await expect(laneOf(page, 'Parsed', one)).toContainText('clean');
  expect(await turns()).toBe(before);
  expect(await accessibilityFaults(page)).toEqual([]);
  await answerOf(page, two).getByRole('button', { name: 'Save as test case…' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download as a file' }).click();
  expect((await downloading).suggestedFilename()).toBe('playground.jsonl');
  const { items } = await admin<{ items: { action: string }[] }>(product, '/api/audit?targetKind=playground');
  expect(items).toMatchObject([{ action: 'playground.run' }]);
});

test('a column that fails does not end the other; Stop ends a running one, by keyboard', async ({ page, product }) => {
  const native = await idOf(product, 'sim-native');
  const gone = await addModel(product, 'playground-gone', 'no-such-model');
  await signIn(page, product, `/playground?columns=${gone}~native,${native}~native`);
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await expect(send).toBeVisible();
  await tabTo(page, send);
  await page.keyboard.press('Enter');
  await expect(answerOf(page, '1: playground-gone, native').getByRole('alert')).toBeVisible();
  await expect(laneOf(page, 'Parsed', '2: sim-native, native')).toContainText('clean');
  await adminRemove(product, `/api/models/${gone}`);

  const slow = await addModel(product, 'playground-slow', 'sim-native@delay=20000');
  await page.goto(`/playground?columns=${slow}~native`);
  await tabTo(page, send);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(answerOf(page, '1: playground-slow, native').getByRole('status')).toHaveText('Stopped.');
  await expect(send).toBeFocused();
  await adminRemove(product, `/api/models/${slow}`);
});

test('a response is continued, its call given a result, and the draft survives a reload, by keyboard', async ({
  page,
  product,
}) => {
  const native = await idOf(product, 'sim-native');
  await signIn(page, product, `/playground?columns=${native}~native`);
  await sendByKeyboard(page);
  const goOn = answerOf(page, '1: sim-native, native').getByRole('button', { name: 'Continue from here' });
  await expect(goOn).toBeVisible();
  await tabTo(page, goOn);
  await page.keyboard.press('Enter');
  const result = page.getByRole('textbox', { name: 'Message 4, result of read_file' });
  await expect(result).toBeVisible();
  await tabTo(page, result);
  await page.keyboard.type('Buy milk.');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.screenshot({ path: `.cache/shots/playground-${colorScheme}.png`, fullPage: true });
  }
  await page.reload();
  await expect(result).toHaveValue('Buy milk.');
  await page.setViewportSize({ width: 360, height: 800 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth))
    .toBeLessThanOrEqual(0);
  const sent = page.waitForRequest('**/api/playground');
  await tabTo(page, page.getByRole('button', { name: 'Send', exact: true }));
  await page.keyboard.press('Enter');
  const { request } = (await sent).postDataJSON() as { request: { messages: { role: string; content: string }[] } };
  expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  expect(request.messages[3]).toMatchObject({ content: 'Buy milk.' });
  await expect(answerOf(page, '1: sim-native, native').getByRole('status')).toContainText('in all');
  await page.getByRole('button', { name: 'Remove message 3' }).click();
  await expect(result).toHaveCount(0);
});

test('the strategy auto is chosen by keyboard, and the response says which strategy it used', async ({
  page,
  product,
}) => {
  const native = await idOf(product, 'sim-native');
  await signIn(page, product, `/playground?columns=${native}~prompt`);
  const strategy = page.getByRole('combobox', { name: 'Strategy, column 1' });
  await expect(strategy).toBeVisible();
  await tabTo(page, strategy);
  await page.keyboard.press('Enter');
  await chooseByArrows(page, page.getByRole('option', { name: 'auto' }));
  await expect(strategy).toHaveValue('auto');
  await expect(page).toHaveURL(new RegExp(`${native}(~|%7E)auto`));
  await tabTo(page, page.getByRole('button', { name: 'Send', exact: true }));
  await page.keyboard.press('Enter');
  await expect(laneOf(page, 'Parsed', '1: sim-native, auto')).toContainText('clean');
  await expect(answerOf(page, '1: sim-native, auto').getByRole('status')).toHaveText(/^native/);
});

test('an invalid request is reported at its field', async ({ page, product }) => {
  await signIn(page, product, '/playground');
  await page.getByRole('textbox', { name: 'Tools' }).fill('{}');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('Expected a JSON array of tools; found an object.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Tools' }).fill('');
  for (const n of [1, 2]) await page.getByRole('textbox', { name: `Message ${n}` }).fill('');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('Write at least one message.')).toBeVisible();
});

test('a request is saved as a probe case by keyboard, and deleted on the model’s page by mouse', async ({
  page,
  product,
}) => {
  const native = await idOf(product, 'sim-native');
  const savedCases = () =>
    admin<{ items: { title: string; expects: object; request: { messages: object[] } }[] }>(
      product,
      `/api/models/${native}/probe-cases`,
    ).then(({ items }) => items);
  await signIn(page, product, `/playground?columns=${native}~native`);
  await sendByKeyboard(page);
  const save = answerOf(page, '1: sim-native, native').getByRole('button', { name: 'Save as probe case…' });
  await expect(save).toBeVisible();
  await tabTo(page, save);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Save as probe case of sim-native' });
  await expect(dialog.getByRole('textbox', { name: 'Title' })).toBeFocused();
  const calls = dialog.getByRole('textbox', { name: 'Calls' });
  await expect(calls).toHaveValue(/"name": "read_file".*"path": "notes.txt"/s);
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Enter a title of up to 80 characters.');
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Reads my notes');
  await calls.fill('[{"name": "read_notes", "arguments": {}}]');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('"read_notes" is none of the tools of the request');
  await calls.fill('no JSON');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toContainText('Enter a JSON array of calls');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.screenshot({ path: `.cache/shots/probe-case-${colorScheme}.png` });
  }
  await dialog.getByText('Valid calls of these tools').click();
  const tools = dialog.getByRole('combobox', { name: 'Tools' });
  await expect(tools).toBeVisible();
  await tabTo(page, dialog.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('Case Reads my notes saved. The next probe of sim-native sends it.')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  expect(await savedCases()).toMatchObject([
    { title: 'Reads my notes', expects: { kind: 'tools', names: ['read_file'] }, request: { messages: [{}, {}] } },
  ]);

  await page.goto(`/models/${native}`);
  const panel = page.getByRole('region', { name: 'Probe' });
  await panel.getByRole('button', { name: 'Saved cases' }).click();
  await expect(panel).toContainText('Right: valid calls of read_file');
  await panel.getByText('Request', { exact: true }).click();
  await expect(panel.getByLabel('Request of Reads my notes')).toContainText('Read the file notes.txt');
  expect(await accessibilityFaults(page, { include: '[aria-label="Probe"]' })).toEqual([]);
  await panel.screenshot({ path: '.cache/shots/saved-cases.png' });
  await panel.getByRole('button', { name: 'Delete: Reads my notes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(panel).toContainText('None yet.');
  await expect(panel.getByRole('link', { name: 'playground' })).toHaveAttribute('href', new RegExp(native));
  expect(await savedCases()).toEqual([]);
});
