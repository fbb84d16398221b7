import { expect, test } from '../fixture.ts';
import { admin, signIn } from './steps.ts';

test('a wrong password is reported, the right one leads to the requested page', async ({ page, product }) => {
  await page.goto('/keys?revoked=yes');
  await expect(page).toHaveURL(/sign-in\?next=/);
  await page.getByLabel('E-mail').fill(product.admin.email);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('Wrong e-mail or password.');
  await page.getByLabel('Password', { exact: true }).fill(product.admin.password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/keys\?revoked=yes/);
  await expect(page.getByRole('heading', { name: 'Keys', level: 1 })).toBeVisible();
});

test('a redirect to another site is not followed after signing in', async ({ page, product }) => {
  await page.goto('/sign-in?next=//example.org/');
  await page.getByLabel('E-mail').fill(product.admin.email);
  await page.getByLabel('Password', { exact: true }).fill(product.admin.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  expect(new URL(page.url()).origin).toBe(product.url);
});

test('signing out ends the session', async ({ page, product }) => {
  await signIn(page, product);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.goto('/');
  await expect(page).toHaveURL(/sign-in/);
});

test('the color scheme is remembered, and set before the first paint', async ({ page, product }) => {
  await signIn(page, product);
  const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
  await page.getByRole('radiogroup', { name: 'Color scheme' }).getByText('', { exact: true }).first().waitFor();
  await page.getByRole('img', { name: 'Dark' }).click();
  await expect.poll(scheme).toBe('dark');
  await page.reload({ waitUntil: 'domcontentloaded' });
  expect(await scheme()).toBe('dark');
});

test('an invited viewer sets a password, sees metrics, and is told what the role does not allow', async ({
  page,
  product,
  browser,
}) => {
  await signIn(page, product, '/teams?add=user');
  const email = `viewer-${Date.now()}@example.com`;
  await page.getByRole('dialog').getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Create invite link' }).click();
  await expect(page.getByRole('dialog').getByLabel('Team')).toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('dialog').getByLabel('Team').click();
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Create invite link' }).click();
  const link = await page
    .getByRole('dialog')
    .getByText(/\/link#/)
    .innerText();

  const inviteePage = await browser.newPage();
  await inviteePage.goto(link);
  await inviteePage.getByLabel('New password').fill('short');
  await inviteePage.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(inviteePage.getByText('Must have at least 10 characters.')).toBeVisible();
  await inviteePage.getByLabel('New password').fill('long enough to be one');
  await inviteePage.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(inviteePage.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(inviteePage.getByRole('link', { name: 'Upstreams' })).toBeHidden();
  await inviteePage.goto(`${product.url}/upstreams`);
  await expect(inviteePage.getByText('Your role does not allow this')).toBeVisible();

  await inviteePage.goto(link);
  await expect(inviteePage.getByText('This link no longer works')).toBeVisible();
  await inviteePage.close();
  const { items } = await admin<{ items: { email: string; active: boolean }[] }>(product, '/api/users');
  expect(items.find((user) => user.email === email)?.active).toBe(true);
});
