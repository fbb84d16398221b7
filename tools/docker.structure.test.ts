import { readdirSync, readFileSync } from 'node:fs';
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

it('security 31: the gateway runs without rights on a read-only file system, from packages whose scripts never ran', () => {
  const compose = readFileSync(join(import.meta.dirname, '../docker/compose.yml'), 'utf8');
  const gateway = /\n {2}gateway:\n((?: {4}.*\n)+)/.exec(compose)?.[1] ?? '';
  for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
    expect(gateway).toContain(line);
  const image = readFileSync(join(import.meta.dirname, '../docker/Dockerfile'), 'utf8');
  expect(image).toMatch(/^USER node$/m);
  expect(image).not.toMatch(/npm (?:ci|install|prune)(?!.*--ignore-scripts)/);
});

it('security 31: every action of the CI workflows is pinned by commit', () => {
  const folder = join(import.meta.dirname, '../.github/workflows');
  const used = readdirSync(folder).flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(/^\s*(?:- )?uses: (.*)$/gm),
  ]);
  expect(used.length).toBeGreaterThan(0);
  for (const [, action] of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/);
});

it('npm start and callsmith serve, which the image runs, give Node the same arguments', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  const argumentsIn = (text: string) => /exec node ((?:--\S+ )+)\S*apps\/gateway\/dist\/main\.js/.exec(text)?.[1];
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
  expect(argumentsIn(scripts.start)).toMatch(/^--/);
  expect(argumentsIn(read('scripts/callsmith').replace('"$root/', ''))).toBe(argumentsIn(scripts.start));
  expect(read('docker/Dockerfile')).toMatch(/^CMD \["callsmith", "serve"\]$/m);
});
