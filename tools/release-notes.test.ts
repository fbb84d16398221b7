import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const notesOf = (version: string) =>
  spawnSync(process.execPath, ['tools/release-notes.mjs', version], { encoding: 'utf8' });

it('a release’s notes are the changelog’s section of its version, and of no other', () => {
  const { status, stdout } = notesOf('0.1.0');
  expect(status).toBe(0);
  expect(stdout).not.toBe('\n');
  expect(stdout).not.toMatch(/^## /m);
});

it('a version without a changelog section is not released', () => {
  expect(notesOf('0.1')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('## 0.1 – DATE') });
});
