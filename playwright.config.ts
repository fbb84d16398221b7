import { defineConfig } from '@playwright/test';
import { browserFlags, browserPath } from './e2e/browser.ts';

const executablePath = await browserPath();

export default defineConfig({
  testDir: 'e2e/dashboard',
  outputDir: '.cache/playwright',
  fullyParallel: false,
  workers: 1,
  // A busy machine can make a step late; a test that passes only the second time is reported as flaky.
  retries: process.env.CI ? 1 : 0,
  timeout: 60_000,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [['list'], ['json']] : 'list',
  use: {
    headless: true,
    viewport: { width: 1280, height: 800 },
    trace: 'retain-on-failure',
    launchOptions: { args: browserFlags, ...(executablePath !== undefined && { executablePath }) },
  },
});
