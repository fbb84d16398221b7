import { expect, test } from '../fixture.ts';
import { freePort } from '../product.ts';
import { signIn } from './steps.ts';

test('a connection test explains its result, and an added upstream is checked', async ({
  page,
  product,
  simulator,
}) => {
  await signIn(page, product, '/upstreams?add=yes');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Base URL').fill(simulator.url);
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByRole('status')).toContainText('Connected');
  await expect(dialog.getByRole('status')).toContainText('sim-native');
  await dialog.getByLabel('Name').fill('second');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const card = page.getByRole('region', { name: 'second' });
  await expect(card).toContainText('Healthy');
  await card.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(card).toHaveCount(0);
});

test('a server that does not answer is reported, with what to check', async ({ page, product }) => {
  await signIn(page, product, '/upstreams?add=yes');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Base URL').fill(`http://127.0.0.1:${await freePort()}`);
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByRole('status')).toContainText('Connection failed');
  await expect(dialog.getByRole('status')).toContainText(/refused/i);
});

test('an invalid base URL is refused at its field', async ({ page, product }) => {
  await signIn(page, product, '/upstreams?add=yes');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('nonsense');
  await dialog.getByLabel('Base URL').fill('not a url');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByLabel('Base URL')).toHaveAttribute('aria-invalid', 'true');
});
