import { writeAudit } from '@callsmith/data/audit-log';
import type { PrismaService } from '@callsmith/data/database';
import type { TurnFilter } from '@callsmith/data/turns';
import type { Caller } from '../access/caller.ts';

/** A list polls and is paged; that is one search. */
const ONE_SEARCH_MS = 600_000;
const MOST_KNOWN = 1_000;

/** Audits who searched message content for what, because the result reveals content of bodies (security 19). */
export class SearchAudit {
  /** When each search was audited, the oldest first. */
  private readonly auditedAt = new Map<string, number>();

  constructor(private readonly prisma: PrismaService) {}

  /** Does nothing for a filter without message content. */
  async note({ text, argument, teamId }: TurnFilter, caller: Caller): Promise<void> {
    if (text === undefined && argument === undefined) return;
    const search = JSON.stringify([caller.actor, text, argument, teamId]);
    const now = Date.now();
    if (now - (this.auditedAt.get(search) ?? 0) < ONE_SEARCH_MS) return;
    const after = { ...(text !== undefined && { text }), ...(argument !== undefined && { argument }) };
    await writeAudit(
      this.prisma,
      { actor: caller.actor },
      { action: 'turns.search', targetKind: 'turns', targetId: 'search', teamId: teamId ?? null, after },
    );
    this.auditedAt.delete(search);
    this.auditedAt.set(search, now);
    for (const oldest of this.auditedAt.keys()) {
      if (this.auditedAt.size <= MOST_KNOWN) return;
      this.auditedAt.delete(oldest);
    }
  }
}
