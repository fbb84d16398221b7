// Checks package-lock.json and that of the documents' site: they contain every platform's package of every optional
// dependency (npm ci fails on the platforms whose packages are missing), and no registry address.
import { readFileSync } from 'node:fs';

const problems = ['package-lock.json', 'docs/.vitepress/package-lock.json'].flatMap(problemsOf);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function problemsOf(file) {
  const { packages } = JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
  const names = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  return Object.entries(packages).flatMap(([path, { version, resolved, optionalDependencies = {} }]) => {
    const missing = Object.keys(optionalDependencies).filter((name) => !names.has(name));
    return [
      ...(missing.length > 0 ? [`${file}: ${path} ${version} lacks ${missing.join(', ')}`] : []),
      ...(/^https?:/.test(resolved ?? '') ? [`${file}: ${path} carries an address: ${resolved}`] : []),
    ];
  });
}
