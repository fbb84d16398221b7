import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['{apps,libs}/*/src/**/*.test.ts', 'e2e/**/*.test.ts', '{tools,scripts}/**/*.test.ts'],
    globalSetup: ['libs/testing/src/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A worker keeps its modules: loading them for every file would take longer than most tests themselves.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
