import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import { admin, ask, askOften, signIn, tabTo } from './steps.ts';

/** A receiver of alerts; `bodies` collects the received ones. */
async function startReceiver() {
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    request.on('data', (part: Buffer) => bodies.push(part.toString()));
    request.on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const { port } = receiver.address() as AddressInfo;
  return { bodies, port, close: () => new Promise((done) => receiver.close(done)) };
}

test('an admin sets a receiver for alerts, tests it, and removes it', async ({ page, product }) => {
  const { bodies, port, close } = await startReceiver();
  await signIn(page, product, '/settings');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Chat');
  await dialog.getByLabel('URL').fill('http://169.254.169.254/hook');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('URL').fill(`http://127.0.0.1:${port}/a-token`);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toContainText('whsec_');
  await dialog.getByRole('button', { name: 'Done' }).click();
  const entry = page.getByRole('region', { name: 'Chat' });
  await expect(entry).toContainText('Nothing sent yet');
  await entry.getByRole('button', { name: 'Test' }).click();
  await expect(entry).toContainText('delivered (204');
  expect(JSON.parse(bodies.join(''))).toMatchObject({ event: 'test' });
  await expect(page.locator('body')).not.toContainText('a-token');
  await entry.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(entry).toHaveCount(0);
  await close();
});

test('by keyboard only: an alert with quiet hours is added, tested, turned off and removed', async ({
  page,
  product,
}) => {
  const { bodies, port, close } = await startReceiver();
  await signIn(page, product, '/settings');
  const dialog = page.getByRole('dialog');
  const press = async (place: Locator) => {
    await expect(place).toBeVisible();
    await tabTo(page, place);
    await page.keyboard.press('Enter');
  };
  const type = async (label: string, text: string) => {
    await tabTo(page, dialog.getByLabel(label));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(text);
  };
  await press(page.getByRole('button', { name: 'Add webhook' }));
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('Pager');
  await type('URL', `http://127.0.0.1:${port}/hook`);
  await tabTo(page, dialog.getByRole('checkbox', { name: 'Upstream unreachable' }));
  await page.keyboard.press('Space');
  await expect(dialog.getByLabel('For at least')).toHaveCount(0);
  await press(dialog.getByRole('button', { name: /quiet hours/ }));
  await type('Quiet from', '1000PM');
  await type('Quiet to', '0630AM');
  await press(dialog.getByRole('button', { name: 'Add', exact: true }));
  await expect(dialog).toContainText('whsec_');
  await press(dialog.getByRole('button', { name: 'Done' }));
  const entry = page.getByRole('region', { name: 'Pager' });
  await expect(entry).toContainText('Quiet from 22:00 to 06:30');
  await press(entry.getByRole('button', { name: 'Test' }));
  await expect(entry).toContainText('delivered (204');
  expect(JSON.parse(bodies.join(''))).toMatchObject({ event: 'test' });
  const enabled = entry.getByRole('switch', { name: 'Pager enabled' });
  await tabTo(page, enabled);
  await page.keyboard.press('Space');
  await expect(enabled).not.toBeChecked();
  await press(entry.getByRole('button', { name: 'Remove…' }));
  await expect(dialog.getByRole('button', { name: 'Remove' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(entry).toHaveCount(0);
  await close();
});

test('a model added by hand is listed, and removed again', async ({ page, product }) => {
  await signIn(page, product, '/models?add=yes');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('team/by-hand');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toContainText(/Too small|at least|>=1/);
  await dialog.getByRole('button', { name: 'Add upstream' }).click();
  await dialog.getByLabel('Upstream model ID').fill('sim-native');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'team/by-hand' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('heading', { name: 'Models', level: 1 })).toBeVisible();
  await expect(page.getByRole('main').getByText('team/by-hand')).toHaveCount(0);
});

test('a model is found by words of its name and upstream', async ({ page, product }) => {
  await signIn(page, product, '/models');
  const names = page.getByRole('table', { name: 'Models' }).getByRole('link');
  const field = page.getByLabel('Find a model');
  await field.fill('LEAKY de');
  await expect(names).toHaveText(['demo-leaky']);
  await field.fill('leaky');
  await expect(names).toHaveText(['demo-leaky', 'sim-leaky']);
  await field.fill('no-such-model');
  await expect(page.getByText('No model found')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(names.first()).toBeVisible();
  await expect(field).toHaveValue('');
});

test('a custom pattern is tested, added, masks what is stored, and is removed', async ({ page, product }) => {
  await signIn(page, product, '/settings?add-pattern=yes');
  const dialog = page.getByRole('dialog', { name: 'Add pattern' });
  await dialog.getByLabel('Name').fill('Staff ids');
  await dialog.getByLabel('Starts with').fill('A"');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toContainText('without the quotation mark');
  await dialog.getByLabel('Starts with').fill('ACME-');
  await dialog.getByLabel('Test text').fill('for ACME-20261120, not ACME-1');
  await expect(dialog.getByLabel('As it would be stored')).toHaveText(`for ${'•'.repeat(13)}, not ACME-1`);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toBeHidden();
  const redaction = page.getByRole('region', { name: 'Redaction' });
  const added = redaction.getByRole('region', { name: 'Staff ids' });
  await expect(added).toContainText('ACME-, then 6 or more digits');
  await ask(product, 'sim-leaky', { file: 'ACME-20261120.txt' });
  const kept = async () => {
    const { items } = await admin<{ items: { id: string }[] }>(product, '/api/failures?model=sim-leaky&limit=1');
    return items[0] ? JSON.stringify(await admin(product, `/api/turns/${items[0].id}`)) : '';
  };
  await expect.poll(kept).toContain(`${'•'.repeat(13)}.txt`);
  expect(await kept()).not.toContain('20261120');
  await added.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(redaction).toContainText('No custom patterns yet.');
  await redaction.getByText('Built in:').click();
  await expect(redaction).toContainText('Tokens of GitHub');
});

test('a long export is prepared in the background and downloaded', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/transcripts?exports=yes');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Prepare CSV' }).click();
  const download = page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Download' }).first().click();
  const path = await (await download).path();
  expect(readFileSync(path, 'utf8')).toMatch(/^id,at,model,.*\r\nturn_/);
  await dialog.getByRole('button', { name: 'Delete' }).first().click();
  await expect(dialog.getByRole('link', { name: 'Download' })).toHaveCount(0);
});
