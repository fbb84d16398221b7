import type { UpstreamKind } from '@callsmith/turn';
import { audit, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import { seal } from '../secrets/secrets.ts';
import { credentialOf } from '../snapshot/config-index.ts';
import { baseUrlOf } from './address.ts';

/** The upstream that the environment names. */
export interface EnvUpstream {
  /** With or without /v1. */
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** Undefined: to be found out. */
  readonly kind: UpstreamKind | undefined;
}

/**
 * Makes the upstream `env` what the environment says (undefined: none), and keeps settings made on its models.
 * Answers with its id. Throws `RefusedAddress`.
 */
export async function syncEnvUpstream(
  prisma: PrismaService,
  secretKey: string,
  given: EnvUpstream | undefined,
): Promise<string | undefined> {
  const row = await prisma.upstream.findFirst({ where: { origin: 'env' } });
  if (!given) {
    if (row && !row.removedAt) await change(prisma, (tables) => takeAway(tables, row));
    return undefined;
  }
  const baseUrl = baseUrlOf(given.baseUrl);
  const moved = row?.baseUrl !== baseUrl;
  const sameKey = row !== null && credentialOf(row, secretKey) === given.key;
  const sameKind = row !== null && (given.kind ? row.kind === given.kind : row.kindSource === 'discovered');
  if (row && !row.removedAt && row.enabled && !moved && sameKey && sameKind) return row.id;
  return change(prisma, (tables) => put(tables, { row, given, baseUrl, moved, secretKey }));
}

type Row = Awaited<ReturnType<Tables['upstream']['findFirst']>>;

async function put(
  tables: Tables,
  {
    row,
    given,
    baseUrl,
    moved,
    secretKey,
  }: { row: Row; given: EnvUpstream; baseUrl: string; moved: boolean; secretKey: string },
): Promise<string> {
  const sealed = given.key === undefined ? undefined : seal(secretKey, given.key);
  const kept = moved ? null : row?.kindSource === 'discovered' ? row.kind : null;
  const data = {
    baseUrl,
    kind: given.kind ?? kept,
    kindSource: given.kind ? 'declared' : 'discovered',
    credential: sealed?.ciphertext ?? null,
    credentialKeyId: sealed?.keyId ?? null,
    enabled: true,
    removedAt: null,
    ...(moved ? { engineVersion: null } : {}),
  };
  const id = row?.id ?? newId('up');
  if (row) await tables.upstream.update({ where: { id }, data });
  else await tables.upstream.create({ data: { id, name: await freeName(tables), origin: 'env', ...data } });
  if (moved) {
    await tables.learned.deleteMany({ where: { upstreamId: id } });
    await tables.upstreamHealth.deleteMany({ where: { upstreamId: id } });
    // They come back when the new place lists them.
    await tables.modelUpstream.updateMany({ where: { upstreamId: id, source: 'discovered' }, data: { listed: false } });
  }
  await audit(
    tables,
    { actor: 'env' },
    {
      action: row ? 'upstream.change' : 'upstream.add',
      targetKind: 'upstream',
      targetId: id,
      before: row && { baseUrl: row.baseUrl, kind: row.kind },
      after: { baseUrl, kind: data.kind, hasCredential: sealed !== undefined },
    },
  );
  return id;
}

async function takeAway(tables: Tables, row: NonNullable<Row>): Promise<void> {
  await tables.upstream.update({ where: { id: row.id }, data: { removedAt: new Date() } });
  await audit(
    tables,
    { actor: 'env' },
    { action: 'upstream.remove', targetKind: 'upstream', targetId: row.id, before: { baseUrl: row.baseUrl } },
  );
}

async function freeName(tables: Tables): Promise<string> {
  const taken = await tables.upstream.findUnique({ where: { name: 'env' } });
  return taken ? 'env (UPSTREAM_URL)' : 'env';
}
