import type { Page } from '@playwright/test';
import { expect, test } from '../fixture.ts';
import type { Product } from '../product.ts';
import { screensOf } from './screens.ts';
import { admin, adminPost, askOften, openLoaded, untilFailed } from './steps.ts';

/** Signs in as a new viewer. */
async function signInAsViewer(page: Page, product: Product): Promise<void> {
  const { items } = await admin<{ items: { id: string }[] }>(product, '/api/teams');
  const email = `viewer-${Date.now()}@example.com`;
  const invited = { email, role: 'viewer', teamId: items[0]?.id };
  const { link } = await adminPost<{ link: string }>(product, '/api/users', invited);
  const token = new URL(link).hash.slice(1);
  const password = 'long enough to be one';
  await page.request.post(`${product.url}/api/links/use`, { data: { token, password } });
}

test('a viewer finds no button on any screen that the gateway would refuse', async ({ page, product }) => {
  test.setTimeout(240_000);
  await askOften(product, 'sim-leaky', 2);
  await untilFailed(product, 'sim-flaky', 1);
  const screens = await screensOf(product);
  await signInAsViewer(page, product);
  const refused: string[] = [];
  let doing = '';
  page.on('response', (reply) => {
    if (reply.status() === 403) refused.push(`${doing}: ${reply.request().method()} ${new URL(reply.url()).pathname}`);
  });
  const found: string[] = [];
  for (const [name, path] of screens) {
    doing = name;
    await openLoaded(page, path);
    const labels = await page.getByRole('button', { disabled: false }).allInnerTexts();
    for (const label of labels) if (changes.test(label.trim())) found.push(`${name}: ${label.trim()}`);
  }
  expect(found).toEqual([]);
  expect(refused).toEqual([]);
});

/** Labels of buttons that change something which is not the user's own. */
const changes =
  /^(?:add|edit|remove|delete|revoke|rotate|create|save|switch to|undo|re-parse|try on|run|invite|issue|clear learned|disable|reset)\b/i;
