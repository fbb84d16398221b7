import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const notesOf = (version: string) =>
  spawnSync(process.execPath, ['tools/release-notes.mjs', version], { encoding: 'utf8' });

it('a release is told what the changelog says of it, and of no other version', () => {
  const { status, stdout } = notesOf('0.1.0');
  expect(status).toBe(0);
  expect(stdout).not.toBe('\n');
  expect(stdout).not.toMatch(/^## /m);
});

it('a version of which the changelog says nothing is not released', () => {
  expect(notesOf('0.1')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('## 0.1 – DATE') });
});
