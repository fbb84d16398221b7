import { expect, test } from '@playwright/test';
import { type FaultyProduct, startFaultyProduct } from './faulty-product.ts';
import { emptyStates, states } from './states.ts';
import { askOften, signIn, untilFailed } from './steps.ts';

let stage: FaultyProduct;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  stage = await startFaultyProduct();
});
test.afterAll(() => stage.stop());

test('every state of a screen can be reached, and says what it is', async ({ browser }) => {
  test.setTimeout(240_000);
  const page = await browser.newPage({ baseURL: stage.product.url });
  page.setDefaultTimeout(20_000);
  await signIn(page, stage.product);
  for (const state of emptyStates) await test.step(state.name, () => state.show(page, stage));
  await untilFailed(stage.product, 'sim-flaky', 2);
  await askOften(stage.product, 'sim-leaky', 3);
  for (const state of states) {
    await test.step(state.name, () => state.show(page, stage));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().setOffline(false);
  }
  expect(await page.locator('main').count()).toBe(1);
});
