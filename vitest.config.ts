import { defineConfig } from 'vitest/config';

const common = {
  environment: 'node',
  pool: 'forks',
  testTimeout: 20_000,
  hookTimeout: 60_000,
} as const;

/** Tests of how long parsing takes: what other tests left in a process (compiled code, a large heap) slows them. */
const parsing = ['apps/simulator/src/**/*.test.ts', 'libs/{protocols,stream,toolcall,turn}/src/**/*.test.ts'];
const started = 'e2e/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['libs/testing/src/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'shared',
          include: ['{apps,libs}/*/src/**/*.test.ts', '{tools,scripts}/**/*.test.ts'],
          exclude: parsing,
          // Loading their modules for every file would take longer than the tests themselves.
          isolate: false,
        },
      },
      { test: { ...common, name: 'isolated', include: [...parsing, started] } },
    ],
  },
});
