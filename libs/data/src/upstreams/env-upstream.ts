import { isDeepStrictEqual } from 'node:util';
import { otherBaseUrl } from '@callsmith/contracts';
import type { UpstreamKind } from '@callsmith/turn';
import { audit, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import { baseUrlOf } from './address.ts';
import { type Addressing, addressingOf } from './addressing.ts';
import { sealedCredential, sealedHeaders } from './sealed-columns.ts';

/** The upstream of the environment. Times in milliseconds; undefined: the defaults of all upstreams. */
export interface EnvUpstream {
  /** With or without /v1. */
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** Undefined: to be detected. */
  readonly kind: UpstreamKind | undefined;
  readonly keyHeader?: string | undefined;
  readonly keyScheme?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly firstByteTimeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
}

/**
 * Sets the upstream `env` to the environment's values (undefined: none), and keeps settings of its models. Returns its
 * id. Throws `RefusedAddress`.
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
  const wanted = wantedOf(given, row);
  if (row && !row.removedAt && row.enabled && isAs(row, given, wanted, secretKey)) return row.id;
  return change(prisma, (tables) => put(tables, { row, given, wanted, secretKey }));
}

type Row = Awaited<ReturnType<Tables['upstream']['findFirst']>>;

/** What the environment asks for, in clear. */
interface Wanted {
  readonly addressing: Addressing;
  readonly limits: { connectTimeoutMs: number; firstByteTimeoutMs: number; idleTimeoutMs: number };
  readonly moved: boolean;
}

function wantedOf(given: EnvUpstream, row: Row): Wanted {
  const asGiven = baseUrlOf(given.baseUrl);
  // Its models were found at the other possible base URL.
  const found = row !== null && otherBaseUrl(asGiven) === row.baseUrl;
  return {
    addressing: {
      baseUrl: found ? row.baseUrl : asGiven,
      credential: given.key,
      credentialHeader: given.keyHeader,
      credentialScheme: given.keyScheme,
      headers: given.headers,
    },
    limits: {
      connectTimeoutMs: given.connectTimeoutMs ?? 10_000,
      firstByteTimeoutMs: given.firstByteTimeoutMs ?? 300_000,
      idleTimeoutMs: given.idleTimeoutMs ?? 300_000,
    },
    moved: !found && row?.baseUrl !== asGiven,
  };
}

function isAs(row: NonNullable<Row>, given: EnvUpstream, { addressing, limits }: Wanted, secretKey: string): boolean {
  const { direct: _, ...stored } = addressingOf(row, secretKey);
  const sameKind = given.kind ? row.kind === given.kind : row.kindSource === 'discovered';
  const times = Object.entries(limits) as [keyof typeof limits, number][];
  return sameKind && isDeepStrictEqual(stored, addressing) && times.every(([name, ms]) => row[name] === ms);
}

async function put(
  tables: Tables,
  { row, given, wanted, secretKey }: { row: Row; given: EnvUpstream; wanted: Wanted; secretKey: string },
): Promise<string> {
  const { addressing, limits, moved } = wanted;
  const kept = moved ? null : row?.kindSource === 'discovered' ? row.kind : null;
  const data = {
    baseUrl: addressing.baseUrl,
    kind: given.kind ?? kept,
    kindSource: given.kind ? 'declared' : 'discovered',
    ...sealedCredential(secretKey, addressing.credential),
    credentialHeader: addressing.credentialHeader ?? null,
    credentialScheme: addressing.credentialScheme ?? null,
    ...sealedHeaders(secretKey, addressing.headers),
    ...limits,
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
    // They return when the new address lists them.
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
      after: {
        baseUrl: data.baseUrl,
        kind: data.kind,
        hasCredential: data.credential !== null,
        credentialHeader: data.credentialHeader,
        credentialScheme: data.credentialScheme,
        headers: Object.keys(addressing.headers ?? {}),
        ...limits,
      },
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
