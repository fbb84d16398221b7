import { Readable } from 'node:stream';
import { type api, type InputOf, type ReplyOf } from '@callsmith/contracts';
import { type AuditFilter, type AuditRow, listAudit, namesOfTargets } from '@callsmith/data/audit-log';
import { PrismaService } from '@callsmith/data/database';
import { csvRow } from '@callsmith/data/exports';
import { emailsOf, findUserByEmail } from '@callsmith/data/users';
import { Injectable, StreamableFile } from '@nestjs/common';
import { timeRange } from '../time-range.ts';

type AuditAsk = NonNullable<InputOf<typeof api.installation.auditFile>['query']>;
type Entry = ReplyOf<typeof api.installation.audit>['items'][number];

const PAGE = 1_000;
const MOST_EXPORTED = 100_000;

@Injectable()
export class AuditService {
  constructor(private readonly prisma: PrismaService) {}

  /** Newest first; users are shown by their e-mail address. */
  async list({ cursor, limit, ...query }: AuditAsk & { cursor?: string | undefined; limit: number }) {
    const rows = await listAudit(this.prisma, await this.#filterFor(query), { before: cursor, limit: limit + 1 });
    const page = rows.slice(0, limit);
    return { items: await this.#shown(page), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  }

  /** A file of the filtered entries, read page by page while it is sent. */
  async file(query: AuditAsk): Promise<StreamableFile> {
    const lines = this.#lines(await this.#filterFor(query));
    return new StreamableFile(Readable.from(lines), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="audit.csv"',
    });
  }

  async *#lines(filter: AuditFilter): AsyncGenerator<string> {
    yield csvRow(['at', 'actor', 'action', 'targetKind', 'targetId', 'target', 'reason', 'before', 'after']);
    let before: string | undefined;
    for (let sent = 0; sent < MOST_EXPORTED; ) {
      const rows = await listAudit(this.prisma, filter, { before, limit: Math.min(PAGE, MOST_EXPORTED - sent) });
      for (const entry of await this.#shown(rows)) yield lineOf(entry);
      sent += rows.length;
      before = rows.at(-1)?.id;
      if (rows.length < PAGE) return;
    }
  }

  async #filterFor({ from, to, actor, ...query }: AuditAsk): Promise<AuditFilter> {
    const user = actor === undefined ? null : await findUserByEmail(this.prisma, actor);
    const range = from === undefined && to === undefined ? {} : timeRange({ from, to });
    return { ...query, ...range, actor: user?.id ?? actor };
  }

  async #shown(rows: readonly AuditRow[]): Promise<Entry[]> {
    const [emails, names] = await Promise.all([
      emailsOf(
        this.prisma,
        rows.map(({ actor }) => actor),
      ),
      namesOfTargets(this.prisma, rows),
    ]);
    return rows.map(({ teamId: _, at, actor, ...row }) => ({
      ...row,
      at: at.toISOString(),
      actor: emails.get(actor) ?? actor,
      target: names.get(row.targetId) ?? nameIn(row.after) ?? nameIn(row.before),
    }));
  }
}

const lineOf = ({ at, actor, action, targetKind, targetId, target, reason, before, after }: Entry): string =>
  csvRow([at, actor, action, targetKind, targetId, target, reason, jsonOf(before), jsonOf(after)]);

const jsonOf = (value: unknown): string => (value === null ? '' : JSON.stringify(value));

/** The target's name at the time of the change. */
function nameIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, holder, email } = value as Record<string, unknown>;
  return ([name, holder, email].find((word) => typeof word === 'string') as string | null) ?? null;
}
