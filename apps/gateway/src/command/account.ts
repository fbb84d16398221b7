import type { PrismaService } from '@callsmith/data/database';
import { hashPassword, newPassword } from '@callsmith/data/secrets';
import { findUserByEmail, makeSignInLink, type UserRow, updateUser } from '@callsmith/data/users';
import { announcedUrl } from '../boot/instance.ts';
import { localUrl } from '../boot/urls.ts';
import { Refused } from './exit-codes.ts';
import { administrator, type Installation, secretKeyOf } from './installation.ts';

/** The result of an account command; `secret` is the password or the link. */
interface AccountAnswer {
  readonly email: string;
  readonly secret: string;
  /** True if the account cannot sign in anyway. */
  readonly disabled: boolean;
}

/** Sets a new password for the user (default: the only administrator) and ends all of the user's sessions. */
export async function resetPassword({ prisma }: Installation, email: string | undefined): Promise<AccountAnswer> {
  const user = await userOf(prisma, email);
  const secret = newPassword();
  const data = { passwordHash: await hashPassword(secret) };
  await updateUser(prisma, { actor: 'command' }, { id: user.id, action: 'user.reset-password', data });
  return { email: user.email, secret, disabled: user.disabledAt !== null };
}

/** Creates a link that signs the user in (default: the only administrator). It works once, for 24 hours. */
export async function signInLink(installation: Installation, email: string | undefined): Promise<AccountAnswer> {
  const { prisma, settings } = installation;
  const user = await userOf(prisma, email);
  if (user.disabledAt !== null)
    throw new Refused(`The account ${user.email} is disabled; an admin can enable it under Teams & users.`);
  const { dataDir, server } = settings;
  const token = await makeSignInLink(prisma, await secretKeyOf(installation), user.id);
  const url = server.publicUrl ?? announcedUrl(dataDir) ?? localUrl(server.host, server.port);
  return { email: user.email, secret: `${url}/link#${token}`, disabled: false };
}

async function userOf(prisma: PrismaService, email: string | undefined): Promise<UserRow> {
  const user = email === undefined ? await administrator(prisma) : await findUserByEmail(prisma, email);
  if (user === null) throw new Refused(`There is no user ${email}.`);
  return user;
}
