import { audit, change } from '../database/change.ts';
import { createDayPartitions } from '../database/partitions.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import { fitsPassword, hashPassword } from '../secrets/passwords.ts';
import {
  CannotUnseal,
  hashKey,
  hintOf,
  newApiKey,
  newPassword,
  type Sealed,
  seal,
  unseal,
} from '../secrets/secrets.ts';
import { DEMO_KEY, DEMO_REMOVED } from './remove-demo.ts';

/** The settings for a new installation. */
export interface SeedOptions {
  readonly secretKey: string;
  readonly admin: { readonly email: string; readonly password: string | undefined };
  /** API_KEY. */
  readonly apiKey: string | undefined;
  /** Undefined: this start offers no demo. */
  readonly demo: DemoSeed | undefined;
}

export interface DemoSeed {
  /** This gateway's own demo upstream; ends in /v1. */
  readonly baseUrl: string;
  /** The stored key; undefined: to be generated. */
  readonly key: string | undefined;
  readonly models: readonly { readonly name: string; readonly contextLength: number }[];
}

/** What the start has to print, once. */
export interface Seeded {
  /** The first administrator, made by this start. */
  readonly firstAdmin: FirstAdmin | undefined;
  /** The demo key in clear; undefined without a demo, or once it was removed. */
  readonly demoKey: string | undefined;
  readonly warnings: readonly string[];
}

export interface FirstAdmin {
  readonly id: string;
  readonly email: string;
  /** Undefined: ADMIN_PASSWORD. */
  readonly generatedPassword: string | undefined;
}

const SYSTEM = { actor: 'start' };
const DEFAULT_TEAM = 'default';
const DEMO = 'demo';

/**
 * Creates what every installation has, if it is missing: partitions, the default team, an administrator, API_KEY, and
 * the demo.
 */
export async function seed(prisma: PrismaService, options: SeedOptions): Promise<Seeded> {
  await createDayPartitions(prisma, new Date(Date.now() - 86_400_000), 8);
  const password = options.admin.password ?? newPassword();
  const passwordHash = await hashPassword(password);
  const made = await change(prisma, async (tables) => {
    // Gateways that start together seed one after the other.
    await tables.$executeRaw`SELECT pg_advisory_xact_lock(5275173)`;
    const teamId = (await ownTeam(tables)) ?? (await putTeam(tables, DEFAULT_TEAM, false));
    const adminId = await putAdmin(tables, options, passwordHash);
    if (options.apiKey) await putEnvKey(tables, { secretKey: options.secretKey, key: options.apiKey, teamId });
    const removed = await tables.setting.findUnique({ where: { name: DEMO_REMOVED } });
    const demoKey = options.demo && !removed ? await putDemo(tables, options.demo, options.secretKey) : undefined;
    return { adminId, demoKey };
  });
  const firstAdmin = made.adminId && {
    id: made.adminId,
    email: options.admin.email,
    generatedPassword: options.admin.password === undefined ? password : undefined,
  };
  return {
    firstAdmin: firstAdmin || undefined,
    demoKey: made.demoKey,
    warnings: firstAdmin ? [] : await passwordWarnings(prisma, options.admin),
  };
}

/** The team used by default; it may have been renamed. Undefined: there is only the demo's. */
async function ownTeam(tables: Tables): Promise<string | undefined> {
  const team =
    (await tables.team.findUnique({ where: { name: DEFAULT_TEAM } })) ??
    (await tables.team.findFirst({ where: { demo: false }, orderBy: { createdAt: 'asc' } }));
  return team?.id;
}

async function putTeam(tables: Tables, name: string, demo: boolean): Promise<string> {
  const existing = await tables.team.findUnique({ where: { name } });
  if (existing) return existing.id;
  const { id } = await tables.team.create({ data: { id: newId('team'), name, demo } });
  await audit(tables, SYSTEM, { action: 'team.add', targetKind: 'team', targetId: id, teamId: id, after: { name } });
  return id;
}

/** Undefined: there is a user already. */
async function putAdmin(tables: Tables, { admin }: SeedOptions, passwordHash: string): Promise<string | undefined> {
  if ((await tables.user.count()) > 0) return undefined;
  const id = newId('user');
  await tables.user.create({ data: { id, email: admin.email.toLowerCase(), role: 'admin', passwordHash } });
  await audit(tables, SYSTEM, {
    action: 'user.add',
    targetKind: 'user',
    targetId: id,
    after: { email: admin.email, role: 'admin' },
  });
  return id;
}

/** Registers API_KEY; an API_KEY of an earlier start that differs is revoked. */
async function putEnvKey(
  tables: Tables,
  { secretKey, key, teamId }: { secretKey: string; key: string; teamId: string },
) {
  const hash = hashKey(secretKey, key);
  const existing = await tables.apiKey.findUnique({ where: { hash } });
  const old = await tables.apiKey.findMany({ where: { kind: 'env', revokedAt: null, hash: { not: hash } } });
  for (const { id } of old) {
    await tables.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
    await audit(tables, { actor: 'env' }, { action: 'key.revoke', targetKind: 'key', targetId: id, teamId });
  }
  if (existing) {
    // An earlier API_KEY that is set again works again. An issued key keeps its own limits.
    if (existing.kind === 'env' && existing.revokedAt) {
      await tables.apiKey.update({ where: { id: existing.id }, data: { revokedAt: null } });
    }
    return;
  }
  const id = newId('key');
  await tables.apiKey.create({ data: { id, teamId, holder: 'API_KEY', hash, hint: hintOf(key), kind: 'env' } });
  await audit(
    tables,
    { actor: 'env' },
    { action: 'key.issue', targetKind: 'key', targetId: id, teamId, after: { kind: 'env' } },
  );
}

/**
 * Gateways on one database share the demo's key: it is stored encrypted in the tables, since it opens demo models only.
 */
async function putDemo(tables: Tables, demo: DemoSeed, secretKey: string): Promise<string> {
  const teamId = await putTeam(tables, DEMO, true);
  const existing = await tables.apiKey.findFirst({ where: { kind: 'demo' } });
  const shared = await sharedDemoKey(tables, secretKey);
  const kept = [shared, demo.key].find((one) => one !== undefined && hashKey(secretKey, one) === existing?.hash);
  const key = kept ?? demo.key ?? newApiKey();
  if (key !== shared) await shareDemoKey(tables, secretKey, key);
  const hash = hashKey(secretKey, key);
  const data = { teamId, holder: DEMO, hash, hint: hintOf(key), kind: 'demo', revokedAt: null };
  if (!existing) await tables.apiKey.create({ data: { id: newId('key'), ...data } });
  else if (existing.hash !== hash || existing.revokedAt)
    await tables.apiKey.update({ where: { id: existing.id }, data });
  await putDemoModels(tables, demo);
  return key;
}

async function sharedDemoKey(tables: Tables, secretKey: string): Promise<string | undefined> {
  const row = await tables.setting.findUnique({ where: { name: DEMO_KEY } });
  try {
    return row ? unseal(secretKey, row.value as unknown as Sealed) : undefined;
  } catch (problem) {
    if (problem instanceof CannotUnseal) return undefined;
    throw problem;
  }
}

async function shareDemoKey(tables: Tables, secretKey: string, key: string): Promise<void> {
  const value = { ...seal(secretKey, key) };
  await tables.setting.upsert({ where: { name: DEMO_KEY }, create: { name: DEMO_KEY, value }, update: { value } });
}

/** The address is that of the first gateway's model server; each gateway uses its own (`demoUrl`). */
async function putDemoModels(tables: Tables, demo: DemoSeed): Promise<void> {
  const existing = await tables.upstream.findFirst({ where: { origin: 'demo' } });
  const place = { kind: 'vllm', kindSource: 'declared', enabled: true, removedAt: null };
  const upstream =
    existing ??
    (await tables.upstream.create({
      data: { id: newId('up'), name: DEMO, origin: 'demo', baseUrl: demo.baseUrl, ...place },
    }));
  if (!upstream.enabled || upstream.removedAt)
    await tables.upstream.update({ where: { id: upstream.id }, data: place });
  for (const { name, contextLength } of demo.models) {
    const model = await tables.model.findUnique({ where: { name } });
    if (model) continue;
    await tables.model.create({
      data: {
        id: newId('model'),
        name,
        demo: true,
        contextLength,
        contextSource: 'discovered',
        upstreams: { create: { upstreamId: upstream.id, upstreamModel: name, source: 'declared' } },
      },
    });
  }
}

async function passwordWarnings(prisma: PrismaService, admin: SeedOptions['admin']): Promise<string[]> {
  if (admin.password === undefined) return [];
  const user = await prisma.user.findUnique({ where: { email: admin.email.toLowerCase() } });
  if (!user) return [`ADMIN_EMAIL ${admin.email} is not an administrator here: it is used on the first start only.`];
  if (user.passwordHash !== null && (await fitsPassword(user.passwordHash, admin.password))) return [];
  return [
    'ADMIN_PASSWORD is not the current password: it is used on the first start only (npm run callsmith -- reset-password).',
  ];
}
