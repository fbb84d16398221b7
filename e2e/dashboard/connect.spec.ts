import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { accessibilityFaults } from './accessibility.ts';
import { admin, adminPost, ask, chooseByArrows, signIn, tabTo } from './steps.ts';

interface Issued {
  readonly key: { readonly id: string };
  readonly secret: string;
}

async function issue(product: Product, holder: string): Promise<Issued> {
  const { items } = await admin<{ items: { id: string; name: string }[] }>(product, '/api/teams');
  const teamId = items.find(({ name }) => name === 'default')?.id;
  return adminPost<Issued>(product, '/api/keys', { teamId, holder, requestsPerMinute: 60 });
}

const linkFor = async (product: Product, { key }: Issued): Promise<string> =>
  (await adminPost<{ link: string }>(product, `/api/keys/${key.id}/connect-link`, {})).link;

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('an owner opens the link, sets a client up, tests, sees the first request, and rotates the key', async ({
  page,
  product,
  browser,
}) => {
  const holder = `Ada ${Date.now()}`;
  const issued = await issue(product, holder);
  await signIn(page, product, '/keys');
  await page.getByRole('button', { name: `Actions for the key of ${holder}` }).click();
  await page.getByRole('menuitem', { name: 'Connect link…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = await dialog.getByText(/\/link#/).innerText();

  const ownerPage = await browser.newPage();
  const requestedPaths: string[] = [];
  ownerPage.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname));
  // A request for a link preview does not use it up.
  for (let visit = 0; visit < 2; visit += 1) {
    await ownerPage.goto('about:blank');
    await ownerPage.goto(link);
    await expect(ownerPage.getByRole('heading', { name: 'Your API key’s page' })).toBeVisible();
  }
  await ownerPage.getByRole('button', { name: 'Open' }).click();
  await expect(ownerPage.getByRole('heading', { name: `Key of ${holder}` })).toBeVisible();
  await expect(ownerPage.getByText('Requests per minute: 0 of 60 used')).toBeVisible();
  await expect(ownerPage.getByText('Waiting for the first request')).toBeVisible();
  await expect(ownerPage.getByText('No model is suggested')).toBeVisible();
  await expect(ownerPage.getByText(/works only on the machine that runs Callsmith/)).toBeVisible();
  expect(requestedPaths.filter((path) => path.startsWith('/api/') && !/^\/api\/(?:connect|links)/.test(path))).toEqual(
    [],
  );

  await expect(ownerPage.getByRole('button', { name: 'Send a test request' })).toBeDisabled();
  await ownerPage.getByLabel('Your API key', { exact: true }).fill(issued.secret);
  await choose(ownerPage, 'Model to test', 'sim-native');
  await ownerPage.getByRole('button', { name: 'Send a test request' }).click();
  const steps = ownerPage.getByRole('list', { name: 'Steps of the test' });
  for (const step of ['Key accepted', 'Model reached', 'Call parsed', 'Answer'])
    await expect(steps).toContainText(`${step}: yes`);
  await expect(ownerPage.getByText('Waiting for the first request')).toBeVisible();
  await ownerPage.getByRole('tab', { name: 'Codex' }).click();
  await expect(ownerPage.getByRole('tabpanel')).toContainText(`${product.url}/v1`);

  expect((await ask(product, 'sim-native', { key: issued.secret })).status).toBe(200);
  await expect(ownerPage.getByText(/^Connected: .* sent a request to sim-native/)).toBeVisible({ timeout: 10_000 });

  await ownerPage.getByRole('button', { name: 'Rotate key…' }).click();
  const rotation = ownerPage.getByRole('dialog');
  await choose(ownerPage, 'Old key expires', 'immediately');
  await rotation.getByRole('button', { name: 'Rotate' }).click();
  const secret = await rotation.getByText(/^sk-[\w-]{16,}$/).innerText();
  await rotation.getByRole('button', { name: 'Done, I have copied it' }).click();
  expect((await ask(product, 'sim-native', { key: secret })).status).toBe(200);
  expect((await ask(product, 'sim-native', { key: issued.secret })).status).toBe(401);
  await ownerPage.reload();
  await expect(ownerPage.getByRole('heading', { name: `Key of ${holder}` })).toBeVisible();
  await expect(ownerPage.getByText(secret)).toHaveCount(0);

  await ownerPage.goto(link);
  await expect(ownerPage.getByText('This link no longer works')).toBeVisible();
  await ownerPage.goto('/keys');
  await expect(ownerPage.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await ownerPage.goto('/connect');
  await ownerPage.getByRole('button', { name: 'Disconnect' }).click();
  await expect(ownerPage.getByText('This browser is not connected to a key')).toBeVisible();
  await ownerPage.close();
});

test('by keyboard only: a link is created; its owner tests a model, picks a client and rotates the key', async ({
  page,
  product,
  browser,
}) => {
  const holder = `Marie ${Date.now()}`;
  const { secret } = await issue(product, holder);
  const press = async (on: Page, place: Locator) => {
    await expect(place).toBeVisible();
    await tabTo(on, place);
    await on.keyboard.press('Enter');
  };
  await signIn(page, product, '/keys');
  await press(page, page.getByRole('button', { name: `Actions for the key of ${holder}` }));
  const item = page.getByRole('menuitem', { name: 'Connect link…' });
  await expect(item).toBeVisible();
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(item).toBeFocused({ timeout: 100 });
  }).toPass();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Create link' })).toBeFocused();
  await page.keyboard.press('Enter');
  const link = await dialog.getByText(/\/link#/).innerText();

  const ownerPage = await browser.newPage();
  await ownerPage.goto(link);
  await expect(ownerPage.getByRole('button', { name: 'Open' })).toBeFocused();
  await ownerPage.keyboard.press('Enter');
  await expect(ownerPage.getByRole('heading', { name: `Key of ${holder}` })).toBeVisible();
  await tabTo(ownerPage, ownerPage.getByLabel('Your API key', { exact: true }));
  await ownerPage.keyboard.type(secret);
  const model = ownerPage.getByRole('combobox', { name: 'Model to test' });
  await tabTo(ownerPage, model);
  await ownerPage.keyboard.press('ControlOrMeta+A');
  await ownerPage.keyboard.type('sim-native');
  await chooseByArrows(ownerPage, ownerPage.getByRole('option', { name: 'sim-native', exact: true }));
  await expect(model).toHaveValue('sim-native');
  await press(ownerPage, ownerPage.getByRole('button', { name: 'Send a test request' }));
  await expect(ownerPage.getByRole('list', { name: 'Steps of the test' })).toContainText('Answer: yes');
  await tabTo(ownerPage, ownerPage.getByRole('tab', { selected: true }));
  await ownerPage.keyboard.press('End');
  await ownerPage.keyboard.press('Enter');
  await expect(ownerPage.getByRole('tab').last()).toHaveAttribute('aria-selected', 'true');
  await expect(ownerPage.getByRole('tabpanel')).toContainText(product.url);
  await press(ownerPage, ownerPage.getByRole('button', { name: 'Rotate key…' }));
  const rotation = ownerPage.getByRole('dialog');
  await press(ownerPage, rotation.getByRole('button', { name: 'Rotate', exact: true }));
  const rotated = await rotation.getByText(/^sk-[\w-]{16,}$/).innerText();
  await press(ownerPage, rotation.getByRole('button', { name: 'Done, I have copied it' }));
  await expect(rotation).toHaveCount(0);
  expect((await ask(product, 'sim-native', { key: rotated })).status).toBe(200);
  await press(ownerPage, ownerPage.getByRole('button', { name: 'Disconnect' }));
  await expect(ownerPage.getByText('This browser is not connected to a key')).toBeVisible();
  await ownerPage.close();
});

test('by keyboard, the page is opened, and a wrong key is explained', async ({ page, product }) => {
  const [mine, other] = [await issue(product, 'Grace'), await issue(product, 'Linus')];
  await page.goto(await linkFor(product, mine));
  await expect(page.getByRole('button', { name: 'Open' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Key of Grace' })).toBeVisible();
  await tabTo(page, page.getByLabel('Your API key', { exact: true }));
  await page.keyboard.type(other.secret);
  await tabTo(page, page.getByRole('button', { name: 'Send a test request' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('list', { name: 'Steps of the test' })).toContainText('Key accepted: no');
  await expect(page.getByText(/this page belongs to sk-/)).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing on the page and it fits 360 pixels, ${colorScheme}`, async ({ page, product }) => {
    const issued = await issue(product, 'An owner with a rather long name of several words');
    await ask(product, 'sim-native', { key: issued.secret });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const look = async (name: string) => {
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(beyond, `${name} at ${width}`).toBeLessThanOrEqual(0);
      }
      expect(await accessibilityFaults(page), name).toEqual([]);
    };
    await page.goto('/connect');
    await expect(page.getByText('This browser is not connected to a key')).toBeVisible();
    await look('not connected');
    await page.goto(await linkFor(product, issued));
    await expect(page.getByRole('button', { name: 'Open' })).toBeVisible();
    await look('link');
    await page.getByRole('button', { name: 'Open' }).click();
    await expect(page.getByRole('table', { name: 'Your requests' })).toBeVisible();
    await look('page');
    await page.getByRole('button', { name: 'Rotate key…' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await look('rotate');
  });
