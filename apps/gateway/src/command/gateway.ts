import { readSettings } from '@callsmith/config';
import type { api, Client } from '@callsmith/contracts';
import { announcedUrl } from '../boot/instance.ts';
import { localUrl } from '../boot/urls.ts';
import { adminClient, type Credential } from './admin-client.ts';
import { exitCodes, Refused } from './exit-codes.ts';

/** The admin API of the gateway that a command uses. */
export interface Gateway {
  readonly client: Client<typeof api>;
  /** The body of a download of the admin API, e.g. `/api/exports/ID/file`. */
  download(path: string): Promise<ReadableStream<Uint8Array>>;
}

/**
 * The gateway at `CALLSMITH_URL`, with `ADMIN_KEY`; else the one that runs on the installation in `root`, authenticated
 * by its settings or database. Throws `Refused` if none answers.
 */
export async function gatewayOf(root: string, env: NodeJS.ProcessEnv): Promise<Gateway> {
  const settings = readSettings(root, env);
  const { commandUrl, dataDir, server, admin } = settings;
  const url = commandUrl ?? announcedUrl(dataDir) ?? localUrl(server.host, server.port);
  await mustAnswer(url, commandUrl !== undefined);
  if (commandUrl !== undefined && admin.key === undefined)
    throw new Refused(`ADMIN_KEY is missing: set it to the ADMIN_KEY of the gateway at ${url}.`, exitCodes.refused);
  const credential = admin.key === undefined ? await linkCredential(root, env) : { adminKey: admin.key };
  const { client, headers } = await adminClient(url, credential);
  return {
    client,
    async download(path) {
      const reply = await fetch(`${url}${path}`, { headers });
      if (!reply.ok || reply.body === null) throw new Refused(`The file could not be fetched (${reply.status}).`);
      return reply.body;
    },
  };
}

async function mustAnswer(url: string, named: boolean): Promise<void> {
  const why = await fetch(`${url}/healthz`).then(
    ({ ok, status }) => (ok ? undefined : `it answered ${status}`),
    (error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.message,
  );
  if (why === undefined) return;
  const advice = named ? 'CALLSMITH_URL names it; is it running?' : 'Start it first (npm start), or set CALLSMITH_URL.';
  throw new Refused(`No Callsmith responds at ${url} (${why}). ${advice}`, exitCodes.unreachable);
}

/** Read access to this installation's database is enough to sign in as its administrator. */
async function linkCredential(root: string, env: NodeJS.ProcessEnv): Promise<Credential> {
  const { administrator, onInstallation, secretKeyOf } = await import('./installation.ts');
  const { makeSignInLink } = await import('@callsmith/data/users');
  return onInstallation(root, env, async (installation) => {
    const { id } = await administrator(installation.prisma);
    return { linkToken: await makeSignInLink(installation.prisma, await secretKeyOf(installation), id) };
  });
}
