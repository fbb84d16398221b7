// Checks package-lock.json: every platform's package of every optional dependency is in it (npm ci fails on the
// platforms whose packages are not), and no address of a registry.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const names = new Set(
  Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
);
const problems = Object.entries(packages).flatMap(([path, { version, resolved, optionalDependencies = {} }]) => {
  const missing = Object.keys(optionalDependencies).filter((name) => !names.has(name));
  return [
    ...(missing.length > 0 ? [`${path} ${version} lacks ${missing.join(', ')}`] : []),
    ...(/^https?:/.test(resolved ?? '') ? [`${path} carries an address: ${resolved}`] : []),
  ];
});
for (const problem of problems) process.stderr.write(`package-lock.json: ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
