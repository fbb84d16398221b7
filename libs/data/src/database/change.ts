import { newId } from '../ids.ts';
import type { PrismaService, Tables } from './prisma.ts';

/** The channel that notifies gateways of a changed configuration. */
export const CHANNEL = 'callsmith_changed';

/** Name of the setting that counts changes. */
export const VERSION = 'directory.version';

/** Who makes a change, and why. */
export interface ChangedBy {
  /** A user's id, `admin-key`, `env`, or the name of the job. */
  readonly actor: string;
  readonly reason?: string | undefined;
}

/** What was changed. `before` and `after` hold no secrets. */
export interface AuditedChange {
  readonly action: string;
  readonly targetKind: string;
  readonly targetId: string;
  readonly teamId?: string | null;
  readonly before?: object | null;
  readonly after?: object | null;
}

/** Runs a change of configuration as one transaction and tells every gateway. */
export function change<T>(prisma: PrismaService, work: (tables: Tables) => Promise<T>): Promise<T> {
  return prisma.$transaction(
    async (tables) => {
      const result = await work(tables);
      await changed(tables);
      return result;
    },
    { maxWait: 5_000, timeout: 20_000 },
  );
}

/** Tells every gateway, on commit, that configuration changed: counts the change and notifies. */
export async function changed(tables: Tables): Promise<void> {
  await tables.$executeRaw`
    INSERT INTO setting (name, value) VALUES (${VERSION}, '1')
    ON CONFLICT (name) DO UPDATE SET value = to_jsonb((setting.value #>> '{}')::bigint + 1)`;
  await tables.$executeRaw`SELECT pg_notify(${CHANNEL}, '')`;
}

/** Writes a change into the audit log. */
export async function audit(tables: Tables, by: ChangedBy, what: AuditedChange): Promise<void> {
  await tables.audit.create({
    data: {
      id: newId('aud'),
      actor: by.actor,
      reason: by.reason ?? null,
      action: what.action,
      targetKind: what.targetKind,
      targetId: what.targetId,
      teamId: what.teamId ?? null,
      ...(what.before ? { before: plain(what.before) } : {}),
      ...(what.after ? { after: plain(what.after) } : {}),
    },
  });
}

/** Dates become ISO texts, 64-bit counts numbers. */
function plain(value: object): object {
  return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part)));
}
