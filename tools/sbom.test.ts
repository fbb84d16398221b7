import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'sbom.mjs'), ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });

it('the bill of materials has the packages of the gateway and of the dashboard, and no development packages', () => {
  const { stdout } = run();
  const bom = JSON.parse(stdout) as { bomFormat: string; components: { purl: string }[] };
  expect(bom.bomFormat).toBe('CycloneDX');
  const names = bom.components.map(({ purl }) => decodeURIComponent(/^pkg:npm\/(.+)@/.exec(purl)![1]!));
  expect(names).toEqual(expect.arrayContaining(['fastify', '@prisma/client', 'react', '@mantine/core', 'bullmq']));
  expect(names.filter((name) => /^(?:prisma|elkjs|typescript|vite|vitest|nx|@callsmith\/.*)$/.test(name))).toEqual([]);
}, 60_000);

it('every released package has a license that requires no more than including its text', () => {
  const { status, stdout, stderr } = run('--licences');
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^\| fastify \| [\d.]+ \| MIT \|$/m);
}, 60_000);
