import type { Config } from '@callsmith/config';
import { applyConfigFile, WrongConfigFile } from '@callsmith/data/config-file';
import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { claimSecretKey } from '@callsmith/data/secrets';
import { isDemoOver, type Seeded, seed } from '@callsmith/data/seed';
import { demoIsOn } from '@callsmith/data/snapshot';
import { syncEnvUpstream } from '@callsmith/data/upstreams';
import { makeSignInLink } from '@callsmith/data/users';
import { dialectProblems } from '../config-file/dialect-problems.ts';
import { readConfigFile } from '../config-file/read-config-file.ts';
import { type DemoServer, storeDemoKey } from './demo-server.ts';

/** What the start has to report about the tables. */
export interface SeedResult extends Seeded {
  /** Token of the first administrator's sign-in link; undefined if standard output may be written to a log. */
  readonly signInToken: string | undefined;
}

/** Writes the settings to the tables. The demo key is returned only while the demo is on. */
export async function seedTables(config: Config, demo: DemoServer | undefined): Promise<SeedResult> {
  const prisma = createPrisma(config.databaseUrl, 2);
  try {
    const { secretKey, previousSecretKey: previous, admin, apiKey } = config;
    await claimSecretKey(prisma, { secretKey, previous });
    const seeded = await seed(prisma, { secretKey, admin, apiKey, demo: demo?.seed });
    if (seeded.demoKey !== undefined) storeDemoKey(config.dataDir, seeded.demoKey);
    await syncEnvUpstream(prisma, secretKey, config.upstream);
    await applyGivenFile(prisma, config);
    const upstreams = await prisma.upstream.findMany({
      where: { removedAt: null, enabled: true },
      select: { origin: true },
    });
    const shown = seeded.firstAdmin && mayShowLink(config) ? seeded.firstAdmin : undefined;
    return {
      ...seeded,
      demoKey: demoIsOn({ upstreams, demoOver: await isDemoOver(prisma) }, config.demo) ? seeded.demoKey : undefined,
      signInToken: shown && (await makeSignInLink(prisma, secretKey, shown.id)),
    };
  } finally {
    await prisma.$disconnect();
  }
}

/**
 * Anyone who reads a link can sign in with it, so it is shown only in a terminal, and only with the embedded database.
 */
const mayShowLink = ({ given }: Config): boolean =>
  process.stdout.isTTY === true && !given.some(({ name }) => name === 'DATABASE_URL');

/** Applies CONFIG_FILE. Entries of an earlier file are disabled, never deleted: that takes `config apply --prune`. */
async function applyGivenFile(prisma: PrismaService, config: Config): Promise<void> {
  if (config.configFile === undefined) return;
  const file = readConfigFile(config.configFile, process.env);
  const wrong = dialectProblems(file);
  if (wrong.length > 0) throw new WrongConfigFile(wrong);
  const { secretKey, previousSecretKey } = config;
  const place = { prisma, secretKey, previousSecretKey, by: { actor: 'config-file' } };
  const differences = await applyConfigFile(place, file, { prune: false, dryRun: false });
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  if (differences.length > 0) process.stdout.write(`${config.configFile}: ${count} applied.\n`);
}
