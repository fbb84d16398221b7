import { listAudit } from '@callsmith/data/audit-log';
import { PrismaService } from '@callsmith/data/database';
import { emailsOf } from '@callsmith/data/users';
import { Injectable } from '@nestjs/common';

interface AuditAsk {
  readonly targetKind?: string | undefined;
  readonly targetId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

@Injectable()
export class AuditService {
  constructor(private readonly prisma: PrismaService) {}

  /** Newest first; users are shown by their e-mail address. */
  async list({ targetKind, targetId, cursor, limit }: AuditAsk) {
    const rows = await listAudit(this.prisma, { targetKind, targetId, before: cursor, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const emails = await emailsOf(
      this.prisma,
      page.map(({ actor }) => actor),
    );
    return {
      items: page.map(({ teamId: _, at, actor, ...row }) => ({
        ...row,
        at: at.toISOString(),
        actor: emails.get(actor) ?? actor,
      })),
      next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  }
}
