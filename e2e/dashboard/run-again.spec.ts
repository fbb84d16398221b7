import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, askOften, chooseByArrows, signIn, tabTo } from './steps.ts';

test('a recorded request runs again with another strategy, by mouse, and nothing is recorded', async ({
  page,
  product,
}) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/failures?model=sim-leaky&class=LeakedCall&view=list');
  const detail = page.getByRole('region', { name: 'Selected failure' });
  await detail.getByRole('button', { name: 'Run again…' }).click();
  await expect(page).toHaveURL(/rerun=yes/);
  const turn = await detail.locator('.mono').first().innerText();
  const panel = detail.getByRole('region', { name: 'Run again', exact: true });
  await panel.getByRole('combobox', { name: 'Strategy' }).click();
  await page.getByRole('option', { name: 'prompt', exact: true }).click();
  await panel.getByRole('button', { name: 'Run', exact: true }).click();
  const answer = panel.getByRole('region', { name: 'Response of sim-leaky' });
  await expect(answer.getByRole('status')).toContainText('prompt');
  await expect(answer.getByRole('region', { name: /^Parsed/ })).toContainText('read_file');
  await expect(answer.getByRole('region', { name: 'Delivered, Response of sim-leaky', exact: true })).toContainText(
    'finish_reason',
  );
  await expect(answer.getByRole('region', { name: 'Raw, Response of sim-leaky', exact: true })).toContainText(
    'read_file',
  );
  expect(await accessibilityFaults(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(page).not.toHaveURL(/rerun=/);
  const { items } = await admin<{ items: { action: string }[] }>(product, `/api/audit?targetId=${turn}`);
  expect(items.filter(({ action }) => action === 'turn.rerun')).toHaveLength(1);
});

test('by keyboard, on another model, whose response is saved as a test case', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/failures?model=sim-leaky&class=LeakedCall&view=list');
  const detail = page.getByRole('region', { name: 'Selected failure' });
  await expect(detail.getByRole('button', { name: 'Run again…' })).toBeVisible();
  await tabTo(page, detail.getByRole('button', { name: 'Run again…' }));
  await page.keyboard.press('Enter');
  const panel = detail.getByRole('region', { name: 'Run again', exact: true });
  const model = panel.getByRole('combobox', { name: 'Model' });
  await expect(model).toBeVisible();
  await tabTo(page, model);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('sim-native');
  await chooseByArrows(page, page.getByRole('option', { name: 'sim-native', exact: true }));
  await tabTo(page, panel.getByRole('button', { name: 'Run', exact: true }));
  await page.keyboard.press('Enter');
  const answer = panel.getByRole('region', { name: 'Response of sim-native' });
  await expect(answer.getByRole('region', { name: /^Parsed/ })).toContainText('clean');
  await tabTo(page, answer.getByRole('button', { name: 'Save as test case…' }));
  await page.keyboard.press('Enter');
  const items = page.getByRole('menuitem');
  await expect(items.first()).toBeVisible();
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(items.nth(1)).toBeFocused({ timeout: 500 });
  }).toPass();
  const downloading = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  const stream = await (await downloading).createReadStream();
  let text = '';
  for await (const piece of stream) text += String(piece);
  expect(JSON.parse(text)).toMatchObject({ group: 'sim-native', tools: [{}] });
});
