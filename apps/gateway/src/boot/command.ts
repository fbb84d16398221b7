import { readSettings, WrongSettings } from '@callsmith/config';
import { createPrisma, type PrismaService, UnusableDatabase } from '@callsmith/data/database';
import { DatabaseInUse, runningEmbeddedPostgres, startEmbeddedPostgres } from '@callsmith/data/embedded';
import { hashPassword, newPassword } from '@callsmith/data/secrets';
import { findUserByEmail, listUsers, type UserRow, updateUser } from '@callsmith/data/users';

const USAGE = `npm run admin -- reset-password [email]

  Sets a new password for the user (default: the administrator), prints it, and ends all of the user's sessions.`;

/** The command cannot be run; the message says why. */
class Refused extends Error {}

/** Runs a command of `npm run admin` on the installation in `root`, running or not. Exits with 1 if it cannot. */
export async function command(root: string, [name, email]: readonly string[]): Promise<void> {
  try {
    if (name !== 'reset-password') throw new Refused(USAGE);
    process.stdout.write(await onTables(root, (prisma) => resetPassword(prisma, email)));
  } catch (error) {
    if (
      !(
        error instanceof Refused ||
        error instanceof WrongSettings ||
        error instanceof UnusableDatabase ||
        error instanceof DatabaseInUse
      )
    )
      throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

async function resetPassword(prisma: PrismaService, email: string | undefined): Promise<string> {
  const user = email === undefined ? await administrator(prisma) : await findUserByEmail(prisma, email);
  if (user === null) throw new Refused(`There is no user ${email}.`);
  const password = newPassword();
  const data = { passwordHash: await hashPassword(password) };
  await updateUser(prisma, { actor: 'command' }, { id: user.id, action: 'user.reset-password', data });
  const disabled =
    user.disabledAt === null ? '' : ' The account is disabled; an admin can enable it under Teams & users.';
  return `New password for ${user.email}: ${password}\nAll sessions of this user have ended.${disabled}\n`;
}

async function administrator(prisma: PrismaService): Promise<UserRow> {
  const admins = (await listUsers(prisma)).filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null);
  const [only, another] = admins;
  if (only === undefined) throw new Refused('There is no administrator yet; the first start (npm start) creates one.');
  if (another !== undefined)
    throw new Refused(
      `There are several administrators; give an e-mail address: ${admins.map(({ email }) => email).join(', ')}`,
    );
  return only;
}

async function onTables<T>(root: string, work: (prisma: PrismaService) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readSettings(root);
  const running = databaseUrl ?? runningEmbeddedPostgres(dataDir);
  const own = running === undefined ? await startEmbeddedPostgres(dataDir) : undefined;
  const prisma = createPrisma(running ?? own?.url ?? '', 1);
  try {
    return await work(prisma);
  } finally {
    await prisma.$disconnect();
    await own?.stop();
  }
}
