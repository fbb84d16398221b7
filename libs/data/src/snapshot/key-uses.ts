import type { PrismaService } from '../database/prisma.ts';

/** When keys were last used, and by which client; written in batches. */
export class KeyUses {
  private waiting = new Map<string, { at: Date; client: string }>();

  constructor(private readonly prisma: PrismaService) {}

  /** Records a use of a key. */
  add(keyId: string, client: string): void {
    this.waiting.set(keyId, { at: new Date(), client });
  }

  /** Writes pending uses; throws if the store refuses them, and keeps them. */
  async write(): Promise<void> {
    if (this.waiting.size === 0) return;
    const taken = this.waiting;
    this.waiting = new Map();
    const rows = [...taken].map(([id, { at, client }]) => ({ id, at, client }));
    try {
      await this.prisma.$executeRaw`
        UPDATE api_key SET last_used_at = used.at, last_client = used.client
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS used (id text, at timestamptz, client text)
        WHERE api_key.id = used.id AND (api_key.last_used_at IS NULL OR api_key.last_used_at < used.at)`;
    } catch (problem) {
      for (const [id, touch] of this.waiting) taken.set(id, touch);
      this.waiting = taken;
      throw problem;
    }
  }
}
