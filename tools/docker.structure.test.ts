import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '@callsmith/config';
import { expect, it } from 'vitest';

/** Given by the image. */
const OF_THE_IMAGE = ['PORT', 'HOST', 'DATA_DIR'];

it('docker/compose.yml passes every setting of the README on to the gateway, and no other', () => {
  const compose = readFileSync(join(import.meta.dirname, '../docker/compose.yml'), 'utf8');
  const environment = /environment:\n((?: {6}.*\n)+)/.exec(compose)?.[1] ?? '';
  const passed = [...environment.matchAll(/^ {6}(\w+):/gm)].map(([, name]) => name);
  const expected = settings.map(({ name }) => name).filter((name) => !OF_THE_IMAGE.includes(name));
  expect(passed.toSorted()).toEqual(expected.toSorted());
});
