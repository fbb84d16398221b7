import { newId } from '../ids.ts';
import type { PrismaService, Tables } from './prisma.ts';

/** The channel that notifies gateways of a changed configuration. */
export const CHANNEL = 'callsmith_changed';

/** Name of the setting that counts configuration changes. */
export const VERSION = 'directory.version';

/** The author and the reason of a change. */
export interface ChangedBy {
  /** A user's id, `admin-key`, `env`, or the name of the job. */
  readonly actor: string;
  readonly reason?: string | undefined;
}

/** The changed object. `before` and `after` contain no secrets. */
export interface AuditedChange {
  readonly action: string;
  readonly targetKind: string;
  readonly targetId: string;
  readonly teamId?: string | null;
  readonly before?: object | null;
  readonly after?: object | null;
}

/** Runs a configuration change as one transaction and notifies every gateway. */
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

/** Notifies every gateway, on commit, that the configuration changed: counts the change and notifies. */
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

/** Dates become ISO texts, 64-bit counts become numbers. */
function plain(value: object): object {
  return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part)));
}
