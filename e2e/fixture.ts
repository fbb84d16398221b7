import { startSimulator } from '@callsmith/simulator';
import { test as base } from '@playwright/test';
import { type Product, startProduct } from './product.ts';

type Simulator = Awaited<ReturnType<typeof startSimulator>>;

/** What every browser test uses: a simulated model server and the built product in front of it, one for each worker. */
export const test = base.extend<object, { simulator: Simulator; product: Product }>({
  simulator: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the required fixtures from here
    async ({}, use) => {
      const simulator = await startSimulator();
      await use(simulator);
      await simulator.close();
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ simulator }, use) => {
      const product = await startProduct({ upstreamUrl: simulator.url });
      await use(product);
      await product.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),
});

export { expect } from '@playwright/test';
