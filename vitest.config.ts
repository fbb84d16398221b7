import { defineConfig } from 'vitest/config';

const common = {
  environment: 'node',
  pool: 'forks',
  testTimeout: 20_000,
  hookTimeout: 60_000,
} as const;

/** Tests that start whole gateways: loading their modules for every file would take longer than the tests themselves. */
const server = ['apps/gateway/src/**/*.test.ts', 'libs/{data,jobs,mcp}/src/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['libs/testing/src/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'server', include: server, isolate: false } },
      {
        test: {
          ...common,
          name: 'other',
          include: ['{apps,libs}/*/src/**/*.test.ts', 'e2e/**/*.test.ts', '{tools,scripts}/**/*.test.ts'],
          exclude: server,
        },
      },
    ],
  },
});
