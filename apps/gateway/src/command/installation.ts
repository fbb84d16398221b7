import { readSettings, type Settings } from '@callsmith/config';
import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { runningEmbeddedPostgres, startEmbeddedPostgres } from '@callsmith/data/embedded';
import { secretKeyOfDatabase } from '@callsmith/data/secrets';
import { listUsers, type UserRow } from '@callsmith/data/users';
import { storedSecretKey } from '../boot/secret-key.ts';
import { Refused } from './exit-codes.ts';

/** What a local command works on. */
export interface Installation {
  readonly prisma: PrismaService;
  readonly settings: Settings;
}

/**
 * Runs `work` on the installation in `root`, running or not: its embedded database is started if needed. Throws
 * `WrongSettings`.
 */
export async function onInstallation<T>(
  root: string,
  env: NodeJS.ProcessEnv,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const settings = readSettings(root, env);
  const { databaseUrl, dataDir } = settings;
  const running = databaseUrl ?? runningEmbeddedPostgres(dataDir);
  const own = running === undefined ? await startEmbeddedPostgres(dataDir) : undefined;
  const prisma = createPrisma(running ?? own?.url ?? '', 1);
  try {
    return await work({ prisma, settings });
  } finally {
    await prisma.$disconnect();
    await own?.stop();
  }
}

/** The SECRET_KEY with which a running gateway reads this installation's database. */
export const secretKeyOf = async ({ prisma, settings }: Installation): Promise<string> => {
  const { secretKey, previousSecretKey: previous, dataDir } = settings;
  return secretKeyOfDatabase(prisma, { secretKey: secretKey ?? (await storedSecretKey(dataDir, prisma)), previous });
};

/** The only administrator. Throws `Refused` if there are several, or none. */
export async function administrator(prisma: PrismaService): Promise<UserRow> {
  const admins = (await listUsers(prisma)).filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null);
  const [only, another] = admins;
  if (only === undefined) throw new Refused('There is no administrator yet; the first start (npm start) creates one.');
  if (another !== undefined)
    throw new Refused(
      `There are several administrators; give an e-mail address: ${admins.map(({ email }) => email).join(', ')}`,
    );
  return only;
}
