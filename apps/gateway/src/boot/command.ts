import { readSettings, type Settings } from '@callsmith/config';
import { ApiError } from '@callsmith/contracts';
import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { runningEmbeddedPostgres, startEmbeddedPostgres } from '@callsmith/data/embedded';
import { hashPassword, newPassword, secretKeyOfDatabase } from '@callsmith/data/secrets';
import { findUserByEmail, listUsers, makeSignInLink, type UserRow, updateUser } from '@callsmith/data/users';
import { adminClient, type Credential } from './admin-client.ts';
import { announcedUrl } from './instance.ts';
import { PROBE_USAGE, probeModel, probeWish } from './probe-command.ts';
import { keptSecretKey } from './secret-key.ts';
import { isSetupProblem } from './setup-problem.ts';
import { localUrl } from './urls.ts';

const USAGE = `npm run admin -- COMMAND [email]

  reset-password [email]  Sets a new password for the user (default: the administrator), prints it, and ends all of the
                          user's sessions.
  sign-in-link [email]    Prints a link that signs the user in (default: the administrator). It works once, for 24 hours.`;

/** The command cannot be run; the message says why. */
class Refused extends Error {}

/**
 * Runs a command of `npm run admin` on the installation in `root`, running or not, or `npm run probe`. Exits with 1 if it
 * cannot.
 */
export async function command(root: string, [name, ...args]: readonly string[]): Promise<void> {
  try {
    if (name === 'probe') return await probe(root, args);
    const run = name === undefined ? undefined : commands[name];
    if (run === undefined) throw new Refused(USAGE);
    process.stdout.write(await onInstallation(root, (installation) => run(installation, args[0])));
  } catch (error) {
    if (!(error instanceof Refused || error instanceof ApiError || isSetupProblem(error))) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

const commands: Readonly<Record<string, (installation: Installation, email: string | undefined) => Promise<string>>> = {
  'reset-password': resetPassword,
  'sign-in-link': signInLink,
};

/** Measures a model through the gateway that runs on this installation. */
async function probe(root: string, args: readonly string[]): Promise<void> {
  const wish = probeWish(args);
  if (wish === undefined) throw new Refused(PROBE_USAGE);
  const { url, credential } = await onInstallation(root, async (installation) => ({
    url: await runningUrl(installation),
    credential: await credentialOf(installation),
  }));
  const cancel = new AbortController();
  process.once('SIGINT', () => cancel.abort());
  const { text, exitCode } = await probeModel(wish, {
    client: await adminClient(url, credential),
    progress: (say) => process.stderr.write(process.stderr.isTTY ? `\r${say}   ` : ''),
    signal: cancel.signal,
  });
  process.stderr.write(process.stderr.isTTY ? '\r' : '');
  process.stdout.write(text);
  process.exitCode = exitCode;
}

/** Where the gateway of this installation answers. */
async function runningUrl({ settings: { dataDir, server } }: Installation): Promise<string> {
  const url = announcedUrl(dataDir) ?? localUrl(server.host, server.port);
  const answers = await fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!answers) throw new Refused(`Callsmith does not answer at ${url}. Start it first: npm start`);
  return url;
}

async function credentialOf(installation: Installation): Promise<Credential> {
  const { prisma, settings } = installation;
  if (settings.admin.key !== undefined) return { adminKey: settings.admin.key };
  const { id } = await administrator(prisma);
  return { linkToken: await makeSignInLink(prisma, await secretKeyOf(installation), id) };
}

/** The key that a running gateway reads this installation's database with. */
const secretKeyOf = ({ prisma, settings: { secretKey, previousSecretKey: previous, dataDir } }: Installation) =>
  secretKeyOfDatabase(prisma, { secretKey: secretKey ?? keptSecretKey(dataDir), previous });

async function resetPassword({ prisma }: Installation, email: string | undefined): Promise<string> {
  const user = await userOf(prisma, email);
  const password = newPassword();
  const data = { passwordHash: await hashPassword(password) };
  await updateUser(prisma, { actor: 'command' }, { id: user.id, action: 'user.reset-password', data });
  const disabled =
    user.disabledAt === null ? '' : ' The account is disabled; an admin can enable it under Teams & users.';
  return `New password for ${user.email}: ${password}\nAll sessions of this user have ended.${disabled}\n`;
}

async function signInLink(installation: Installation, email: string | undefined): Promise<string> {
  const { prisma, settings } = installation;
  const user = await userOf(prisma, email);
  if (user.disabledAt !== null)
    throw new Refused(`The account ${user.email} is disabled; an admin can enable it under Teams & users.`);
  const { dataDir, server } = settings;
  const token = await makeSignInLink(prisma, await secretKeyOf(installation), user.id);
  return `${server.publicUrl ?? announcedUrl(dataDir) ?? localUrl(server.host, server.port)}/link#${token}\n`;
}

async function userOf(prisma: PrismaService, email: string | undefined): Promise<UserRow> {
  const user = email === undefined ? await administrator(prisma) : await findUserByEmail(prisma, email);
  if (user === null) throw new Refused(`There is no user ${email}.`);
  return user;
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

/** What a command works on. */
interface Installation {
  readonly prisma: PrismaService;
  readonly settings: Settings;
}

async function onInstallation<T>(root: string, work: (installation: Installation) => Promise<T>): Promise<T> {
  const settings = readSettings(root);
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
