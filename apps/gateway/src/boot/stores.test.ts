import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSettings } from '@callsmith/config';
import { createPrisma, UnusableDatabase } from '@callsmith/data/database';
import { claimSecretKey } from '@callsmith/data/secrets';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openStores } from './stores.ts';

const root = resolve(import.meta.dirname, '../../../..');
let folder: string;
let backup: string;
let dataDir: string;

const open = (dataDir: string) =>
  openStores(readSettings(root, { DATA_DIR: dataDir }), root, {
    onWait: () => {},
    onLost: () => {},
    onBlocked: () => {},
  });

/** With owners and modes, as docs/running.md describes. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsmith-stores-'));
  chmodSync(folder, 0o755); // as root, the database server runs under another account
  const first = join(folder, 'first');
  const { config, close } = await open(first);
  const prisma = createPrisma(config.databaseUrl, 1);
  await claimSecretKey(prisma, { secretKey: config.secretKey });
  await prisma.team.create({ data: { id: 'team_1', name: 'Ours' } });
  await prisma.$disconnect();
  await close();
  backup = join(folder, 'backup');
  copy(first, backup);
}, 120_000);

beforeEach(() => {
  dataDir = join(folder, 'restored');
  rmSync(dataDir, { recursive: true, force: true });
  copy(backup, dataDir);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a copy of the folder opens with its data and key', async () => {
  const { config, close } = await open(dataDir);
  expect(config.secretKey).toBe(readFileSync(join(backup, 'secret-key'), 'utf8').trim());
  const prisma = createPrisma(config.databaseUrl, 1);
  expect(await prisma.team.findMany({ select: { name: true } })).toEqual([{ name: 'Ours' }]);
  await prisma.$disconnect();
  await close();
}, 60_000);

it('a copy without the secret key is refused by the file’s name, and no new key is made', async () => {
  rmSync(join(dataDir, 'secret-key'));
  await expect(open(dataDir)).rejects.toThrow(/secret-key is missing.*Copy it from the backup/);
  expect(existsSync(join(dataDir, 'secret-key'))).toBe(false);
}, 60_000);

it('a copy without the database is refused, and no empty one is created in its place', async () => {
  rmSync(join(dataDir, 'postgres'), { recursive: true });
  const opened = open(dataDir);
  await expect(opened).rejects.toThrow(UnusableDatabase);
  await expect(opened).rejects.toThrow(/contains the secret key of a database.*but no database/);
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
}, 60_000);
