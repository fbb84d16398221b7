// `node tools/run.mjs tools/unused-members.ts`, a part of `npm run lint`: fails if a class, an interface or a type has
// a member that only tests read, and if an entry in the list of exceptions is no longer needed.
import { resolve } from 'node:path';
import ts from 'typescript';
import { allowed } from './unused-members/allowed.ts';
import { unusedMembers } from './unused-members/find.ts';

const root = `${resolve(import.meta.dirname, '..')}/`;

const PRODUCT = /^(apps|libs)\/(?!testing\/)/;
/** Tests, their helpers, and generated files. */
const NOT_READ = /\.(test|spec)\.tsx?$|\/test-[^/]*\.ts$|^libs\/testing\/|^e2e\/(dashboard|cluster)\//;
const NOT_WRITTEN_BY_US = /\/generated\/|\.d\.m?ts$/;

const files = ['apps', 'libs', 'e2e', 'tools']
  .flatMap((folder) => ts.sys.readDirectory(root + folder, ['.ts', '.tsx'], ['**/node_modules', '**/dist']))
  .filter((path) => !NOT_READ.test(path.slice(root.length)));

// One program for all projects: the browser's globals are visible to the server too, which no rule here is affected by.
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  customConditions: ['source'],
  strict: true,
  skipLibCheck: true,
  esModuleInterop: true,
  experimentalDecorators: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  jsx: ts.JsxEmit.ReactJSX,
  types: ['node'],
});

const ownFiles = new Set(files.filter((path) => !NOT_WRITTEN_BY_US.test(path)));
const unused = unusedMembers(program, {
  root,
  isChecked: (path) => ownFiles.has(path) && PRODUCT.test(path.slice(root.length)),
  isCounted: (path) => ownFiles.has(path),
});

const rows = Object.keys(allowed);
const covers = (row: string, name: string): boolean => (row.endsWith('.') ? name.startsWith(row) : name === row);
const problems = [
  ...unused
    .filter(({ name }) => !rows.some((row) => covers(row, name)))
    .map(({ name, line }) => `${name} (line ${line}): nothing but tests reads it. Delete it, or use it.`),
  ...rows
    .filter((row) => !unused.some(({ name }) => covers(row, name)))
    .map((row) => `${row}: it is read now, or gone. Delete its row in tools/unused-members/allowed.ts.`),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
