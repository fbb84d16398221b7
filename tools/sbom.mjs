// Prints the software bill of materials (CycloneDX, JSON) of what is released: the gateway's packages and those that
// are in the dashboard. With --licences it prints a table of their licences, and exits with 1 if one is not in ALLOWED.
// It reads package-lock.json and asks no registry. Development's packages are taken out of package.json first, because
// Prisma's command is also an optional peer of its client, and npm lists such packages whatever it is told to omit.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Licenses that require no more than including their text. */
const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
]);

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'callsmith-sbom-'));
try {
  const bom = billOf(folder);
  const components = bom.components.filter(({ properties = [] }) => !properties.some(isOurs));
  if (process.argv.includes('--licences')) report(components.map(licenceOf));
  else process.stdout.write(`${JSON.stringify({ ...bom, components }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function billOf(copy) {
  const workspaces = ['apps', 'libs'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}/package.json`),
  );
  for (const file of ['package-lock.json', '.npmrc', ...workspaces]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  const { devDependencies: _, ...released } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(copy, 'package.json'), JSON.stringify(released));
  const npm = (...args) =>
    execFileSync('npm', args, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] });
  npm('install', '--package-lock-only', '--ignore-scripts', '--offline');
  return JSON.parse(npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'));
}

function isOurs({ name, value }) {
  return name === 'cdx:npm:package:private' && value === 'true';
}

function licenceOf({ purl, licenses = [] }) {
  const licenceText = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(' AND ');
  const [, name, version] = /^pkg:npm\/(.+)@([^@?]+)/.exec(purl);
  return { name: decodeURIComponent(name), version, licence: licenceText || 'none' };
}

/** An expression is allowed if one side of its OR is, and a list if all of it is. */
function allowed(licence) {
  return licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one)));
}

function report(packages) {
  const byName = packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rows = byName.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |\n`);
  process.stdout.write(`| package | version | licence |\n|---|---|---|\n${rows.join('')}`);
  for (const { name, version, licence } of byName.filter((one) => !allowed(one.licence))) {
    process.stderr.write(`${name}@${version}: the licence ${licence} is not one of ${[...ALLOWED].join(', ')}\n`);
    process.exitCode = 1;
  }
}
