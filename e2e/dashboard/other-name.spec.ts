import { chromium } from '@playwright/test';
import { browserFlags, browserPath } from '../browser.ts';
import { expect, test } from '../fixture.ts';

test('by the machine’s other name over plain http: signing in, staying signed in, and copying', async ({ product }) => {
  const executablePath = await browserPath();
  const browser = await chromium.launch({
    args: [...browserFlags, '--host-resolver-rules=MAP box.test 127.0.0.1'],
    ...(executablePath !== undefined && { executablePath }),
  });
  const page = await browser.newPage({ baseURL: `http://box.test:${product.port}` });
  await page.goto('/');
  await page.getByLabel('E-mail').fill(product.admin.email);
  await page.getByLabel('Password', { exact: true }).fill(product.admin.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await page.goto('/keys?issue=one');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Owner').fill(`Box ${Date.now()}`);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(dialog).toContainText(`http://box.test:${product.port}/v1`);
  const secret = await dialog
    .getByText(/^sk-[\w-]{16,}$/)
    .first()
    .innerText();
  await dialog.getByRole('button', { name: 'Copy API key', exact: true }).click();
  await expect(dialog.getByRole('button', { name: 'API key copied' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Done, I have copied it' }).click();
  await page.getByLabel('Find a key').focus();
  await page.keyboard.press('ControlOrMeta+v');
  await expect(page.getByLabel('Find a key')).toHaveValue(secret);
  await browser.close();
});
