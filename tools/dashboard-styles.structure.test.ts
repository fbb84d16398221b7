import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const app = join(import.meta.dirname, '../apps/dashboard/src');
const library = join(import.meta.dirname, '../node_modules/@mantine');
const styles = join(library, 'core/styles');
const read = (path: string) => readFileSync(path, 'utf8');
const listed = [...read(join(app, 'app/mantine.css')).matchAll(/styles\/([\w-]+)\.css/g)].map(([, name = '']) => name);

/** Styles for every page, whichever components it has. */
const common = ['baseline', 'default-css-variables', 'global'];

test('the styles of each component in use are loaded, and of no other', () => {
  const used = stylesUsed().filter((name) => existsSync(join(styles, `${name}.css`)));
  expect(used.length).toBeGreaterThan(30);
  expect(listed.filter((name) => !common.includes(name)).sort()).toEqual(used.sort());
});

test('the styles of components are in the library’s order', () => {
  const whole = read(join(library, 'core/styles.css'));
  const places = listed
    .filter((name) => !common.includes(name))
    .map((name) =>
      whole.indexOf(
        read(join(styles, `${name}.css`))
          .slice(0, 60)
          .trim(),
      ),
    );
  expect(Math.min(...places)).toBeGreaterThan(0);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

/** The styles of the library's components that the dashboard imports, and of those that they import. */
function stylesUsed(): string[] {
  const sources = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const waiting = sources.flatMap((name) => takenFrom(read(join(app, name))));
  const seen = new Set(waiting);
  for (const file of waiting) {
    const text = read(file);
    const near = [...text.matchAll(/from "(\.[^"]+\.mjs)"/g)].map(([, path = '']) => join(dirname(file), path));
    for (const next of [...near, ...takenFrom(text)]) if (!seen.has(next)) waiting.push(next) && seen.add(next);
  }
  return [...seen].filter((file) => file.endsWith('.module.mjs')).map((file) => basename(file, '.module.mjs'));
}

/** The files of the names that a text imports from a package of the library. */
function takenFrom(text: string): string[] {
  return [...text.matchAll(/import \{([^}]*)\} from ["']@mantine\/(core|dates|modals|notifications)["']/g)].flatMap(
    ([, names = '', from = '']) =>
      names
        .split(',')
        .map((name) => name.trim().split(' as ')[0] ?? '')
        .flatMap((name) => (/^\w+$/.test(name) ? (fileOf(from, name) ?? []) : [])),
  );
}

function fileOf(from: string, name: string): string | undefined {
  const index = join(library, from, 'esm/index.mjs');
  const line = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from "(\\.[^"]+)"`, 'm');
  const path = line.exec(read(index))?.[1];
  return path === undefined ? undefined : join(dirname(index), path);
}
