import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PrismaService, UnusableDatabase } from '@callsmith/data/database';
import { knownFolder } from '@callsmith/data/embedded';
import { hasSecretKey } from '@callsmith/data/secrets';

const fileIn = (dataDir: string): string => join(dataDir, 'secret-key');

/**
 * The SECRET_KEY of an installation with the embedded database: generated at the first start, readable by its owner
 * only (D-26). Throws `UnusableDatabase` if its file is missing and the database was set up with a key.
 */
export async function storedSecretKey(dataDir: string, prisma: PrismaService): Promise<string> {
  const file = fileIn(dataDir);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (await hasSecretKey(prisma))
    throw new UnusableDatabase(
      `${file} is missing: the database was set up with the key in that file. Copy it from the backup too, or set SECRET_KEY if you had set it.`,
    );
  const key = randomBytes(32).toString('hex');
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

/** Throws `UnusableDatabase` for a folder with the key of a missing database: a new database would hide the loss. */
export function refuseLostDatabase(dataDir: string): void {
  if (!existsSync(fileIn(dataDir)) || knownFolder(dataDir) !== undefined) return;
  throw new UnusableDatabase(
    `${dataDir} contains the secret key of a database (secret-key) but no database: its folder (${join(dataDir, 'postgres')}, or the one that the start-up banner showed) is missing. Copy it from the backup too, or start over with npm run reset.`,
  );
}
