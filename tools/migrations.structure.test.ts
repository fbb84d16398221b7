import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testDatabase } from '@callsmith/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());

/** Runs Prisma's command line with the WebAssembly engine; its output is shown if it fails. */
async function prisma(...args: string[]): Promise<string> {
  const command = [join(root, 'node_modules/prisma/build/index.js'), ...args];
  const env = { ...process.env, DATABASE_URL: database.url };
  try {
    return (await promisify(execFile)(process.execPath, command, { cwd: root, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${stdout}\n${stderr}`);
  }
}

describe('prisma/migrations', { timeout: 120_000 }, () => {
  it('create exactly the tables of prisma/schema.prisma', async () => {
    const from = ['--from-migrations', 'prisma/migrations'];
    const difference = await prisma('migrate', 'diff', ...from, '--to-schema', 'prisma/schema.prisma', '--exit-code');
    expect(difference).toContain('No difference detected');
  });

  it('are applied at the start as prisma migrate would apply them', async () => {
    expect(await prisma('migrate', 'status')).toContain('Database schema is up to date!');
  });
});
