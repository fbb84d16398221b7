// `npm run docs`: builds the documents as a static site. It has its own packages (docs/.vitepress), which are not
// installed with the product. A link to a page or a heading that does not exist fails the build.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './root.mjs';

const folder = path.join(root, 'docs/.vitepress');
const installed = path.join(folder, 'node_modules/.package-lock.json');

/** Runs a program and ends this one with its exit code if it fails. */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The version of VitePress that a lockfile names. */
const versionIn = (file) => JSON.parse(readFileSync(file, 'utf8')).packages['node_modules/vitepress'].version;

if (!existsSync(installed) || versionIn(installed) !== versionIn(path.join(folder, 'package-lock.json'))) {
  process.stdout.write('[1/2] Installing the packages of the site (half a minute) …\n');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
}
process.stdout.write('[2/2] Building …\n');
run(process.execPath, [path.join(folder, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'docs'], root);
process.stdout.write(`The site is in ${path.join('.cache', 'docs-site')}: any web server can serve it.\n`);
