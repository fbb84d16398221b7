import { defineConfig } from '@playwright/test';
import { browserFlags, browserPath } from './e2e/browser.ts';

const executablePath = await browserPath();

export default defineConfig({
  testDir: 'e2e/dashboard',
  outputDir: '.cache/playwright',
  fullyParallel: false,
  workers: 1,
  timeout: 60_000,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [['list'], ['json']] : 'list',
  use: {
    headless: true,
    viewport: { width: 1280, height: 800 },
    // A trace has the page itself at every step: a film of it as well would cost time in every test.
    trace: { mode: 'retain-on-failure', screenshots: false },
    launchOptions: { args: browserFlags, ...(executablePath !== undefined && { executablePath }) },
  },
});
