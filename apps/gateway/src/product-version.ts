import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in the `package.json` of the installation in `root`. */
export function productVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}
