// The public compliance suite of Open Responses on the real gateway in front of the simulator: `.ci/openresponses DIR`.
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { startSimulator } from '@callsmith/simulator';
import { runnerImport } from 'vite';
import { type Product, startProduct } from './product.ts';

/** The suite's exports; its source is https://github.com/cdreetz/openresponses, `src/lib/compliance-tests.ts`. */
interface Suite {
  runAllTests(config: SuiteConfig, onProgress: (result: CaseResult) => void): Promise<CaseResult[]>;
}

interface SuiteConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly authHeaderName: string;
  readonly useBearerPrefix: boolean;
  readonly model: string;
}

interface CaseResult {
  readonly id: string;
  readonly status: string;
  readonly errors?: readonly string[];
}

/** A model that calls natively, and one whose server refuses tools, so that they go into the prompt. */
const models = ['sim-native', 'sim-refuses-tools'];

const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(checkout: string): Promise<number> {
  const { runAllTests } = await load(checkout);
  const simulator = await startSimulator();
  const product = await startProduct({ upstreamUrl: simulator.url });
  let failed = 0;
  try {
    await listed(product);
    for (const model of models) {
      const config = {
        baseUrl: `${product.url}/v1`,
        apiKey: product.apiKey,
        authHeaderName: 'Authorization',
        useBearerPrefix: true,
        model,
      };
      for (const { id, status, errors = [] } of await runAllTests(config, () => {})) {
        print(`${status === 'passed' ? 'ok    ' : 'FAILED'} ${model} ${id}`);
        for (const error of errors) print(`       ${error.slice(0, 500)}`);
        if (status !== 'passed') failed += 1;
      }
    }
  } finally {
    await product.stop();
    await simulator.close();
  }
  return failed === 0 ? 0 : 1;
}

/** Waits until the gateway has discovered its upstream's models. */
async function listed({ url, apiKey }: Product): Promise<void> {
  for (const start = Date.now(); Date.now() - start < 60_000; ) {
    const reply = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    const { data } = (await reply.json()) as { data: readonly { readonly id: string }[] };
    if (models.every((model) => data.some(({ id }) => id === model))) return;
    await new Promise((wait) => setTimeout(wait, 200));
  }
  throw new Error(`the gateway lists no ${models.join(' and ')}`);
}

/** The suite is written for version 3 of zod, which the installed version includes. */
async function load(checkout: string): Promise<Suite> {
  const zod = dirname(createRequire(import.meta.url).resolve('zod/package.json'));
  const { module } = await runnerImport<Suite>(join(checkout, 'src/lib/compliance-tests.ts'), {
    configFile: false,
    root: checkout,
    logLevel: 'error',
    oxc: withoutTsconfig,
    resolve: { alias: { zod: join(zod, 'v3/index.js') } },
  });
  return module;
}

/**
 * The suite's configuration needs a package of its website, which need not be installed. Vite's types do not have the
 * option.
 */
const withoutTsconfig: object = { tsconfig: false };

const [checkout] = process.argv.slice(2);
if (checkout === undefined) {
  print('usage: .ci/openresponses DIR');
  process.exitCode = 2;
} else process.exitCode = await main(resolve(checkout));
