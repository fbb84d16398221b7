import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Flags for a Chromium in a container, also as root, that makes no external requests. */
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

/** A Chromium: `CHROMIUM_PATH`, the system's, or on Linux the one from the packages. Undefined: Playwright's own. */
export async function browserPath(): Promise<string | undefined> {
  const places = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'];
  const found = places.find((path) => path !== undefined && existsSync(path));
  if (found !== undefined || process.platform !== 'linux') return found;
  // The package unpacks itself into the folder for temporary files, under one name for all users of the machine, and
  // runs what it finds there; a folder of this checkout is used instead.
  const folder = resolve(import.meta.dirname, '../.cache/chromium');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  // With this set the package also unpacks the libraries it needs, so that none has to be installed.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs20.x';
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const path = await chromium.executablePath();
    process.env.FONTCONFIG_PATH = fontsIn(folder);
    return path;
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

/**
 * Sets the browser's font folder, without which its pages crash: the package's own configuration names only `/tmp`.
 * Returns the folder of the configuration.
 */
function fontsIn(folder: string): string {
  const path = resolve(folder, 'fontconfig');
  mkdirSync(path, { recursive: true });
  const dirs = [resolve(folder, 'fonts'), '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
  const cache = `<cachedir>${resolve(folder, 'fonts-cache')}</cachedir>`;
  writeFileSync(resolve(path, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${dirs}${cache}</fontconfig>`);
  return path;
}
