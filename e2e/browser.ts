import { existsSync } from 'node:fs';

/** Flags for a Chromium in a container, as root too, that asks the outside world for nothing. */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** A Chromium: `CHROMIUM_PATH`, one of the system, or on Linux the one that came with the packages. Undefined: Playwright's own. */
export async function browserPath(): Promise<string | undefined> {
  const places = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const found = places.find((path) => path !== undefined && existsSync(path));
  if (found !== undefined || process.platform !== 'linux') return found;
  // With this set the package also unpacks the libraries it needs, so that none has to be installed.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs20.x';
  const { default: chromium } = await import('@sparticuz/chromium');
  return chromium.executablePath();
}
