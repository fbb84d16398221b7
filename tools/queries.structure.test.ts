import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = ['apps', 'libs']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter((file) => /\/src\/.*\.ts$/.test(file) && !/node_modules|generated|\.test\.ts$/.test(file));

it('security 8: no SQL contains text of a request, and no search interprets its wildcards', () => {
  expect(files.length).toBeGreaterThan(300);
  for (const file of files)
    expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(/\$(?:query|execute)RawUnsafe|\bI?LIKE\b/);
});
