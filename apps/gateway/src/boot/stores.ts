import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, Settings } from '@callsmith/config';
import { createPrisma, migrate, refuseHalfRestore } from '@callsmith/data/database';
import { type EmbeddedOptions, startEmbeddedPostgres } from '@callsmith/data/embedded';
import { refuseLostDatabase, storedSecretKey } from './secret-key.ts';

/** The stores, open and migrated. */
export interface Stores {
  readonly config: Config;
  /** Folder of the embedded database; undefined: the database is external. */
  readonly folder: string | undefined;
  close(): Promise<void>;
}

/** What happens to the database while it is opened and used. */
export type DatabaseEvents = Required<Pick<EmbeddedOptions, 'onWait' | 'onLost'>> & {
  /** A migration waits for a query or transaction that uses its table. */
  readonly onBlocked: (migration: string) => void;
};

/** Opens the configured database, or the embedded one, and migrates it. */
export async function openStores(settings: Settings, root: string, events: DatabaseEvents): Promise<Stores> {
  const { dataDir, server } = settings;
  if (settings.databaseUrl === undefined) refuseLostDatabase(dataDir);
  const embedded =
    settings.databaseUrl === undefined
      ? await startEmbeddedPostgres(dataDir, { gateways: server.workers, ...events })
      : undefined;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    const databaseUrl = embedded?.url ?? settings.databaseUrl ?? '';
    const migrations = join(root, 'prisma/migrations');
    await refuseHalfRestore(databaseUrl, migrations);
    await migrate(databaseUrl, migrations, events.onBlocked);
    const secretKey = settings.secretKey ?? (await ownSecretKey(databaseUrl, dataDir));
    const config: Config = { ...settings, databaseUrl, secretKey, root };
    return { config, folder: embedded?.folder, close: async () => embedded?.stop() };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function ownSecretKey(databaseUrl: string, dataDir: string): Promise<string> {
  const prisma = createPrisma(databaseUrl, 1);
  try {
    return await storedSecretKey(dataDir, prisma);
  } finally {
    await prisma.$disconnect();
  }
}
