// `npm run strategies`: compares `auto` with every fixed strategy on the simulator and writes the results into
// docs/strategies.md. Takes some minutes.
import { spawnSync } from 'node:child_process';
import process from 'node:process';

const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'apps/gateway/src/proxy/test/strategy-figures.test.ts'];
const { status } = spawnSync(process.execPath, vitest, {
  cwd: new URL('..', import.meta.url),
  env: { ...process.env, STRATEGY_FIGURES: '2000' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
