import { defineConfig } from '@playwright/test';
import { browserFlags, browserPath } from './e2e/browser.ts';

const executablePath = await browserPath();

const timed = '**/large.spec.ts';

export default defineConfig({
  testDir: 'e2e/dashboard',
  outputDir: '.cache/playwright',
  fullyParallel: false,
  workers: 2,
  timeout: 60_000,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [['list'], ['json']] : 'list',
  projects: [
    { name: 'screens', testIgnore: timed },
    // Limits of time hold where nothing else runs.
    { name: 'timed', testMatch: timed, dependencies: ['screens'] },
  ],
  use: {
    headless: true,
    viewport: { width: 1280, height: 800 },
    // Recording a trace costs a seventh of the time in every test: `--trace retain-on-failure` records one when needed.
    screenshot: 'only-on-failure',
    launchOptions: { args: browserFlags, ...(executablePath !== undefined && { executablePath }) },
  },
});
