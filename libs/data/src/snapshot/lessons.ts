import { change } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import { storeLesson } from '../models/store-lesson.ts';
import { recordedUpTo } from '../record/storable.ts';
import type { LearnedRow } from './config-rows.ts';
import type { Lesson } from './config-snapshot.ts';

/** How long a lesson is valid (D-25). */
const HOLDS_MS = 24 * 3_600_000;
/** A lesson that is this fresh is not written again. */
const FRESH_MS = 3_600_000;
/** Maximum number of lessons about one model on one upstream, because clients influence what is learned. */
const MOST_LESSONS = 50;

/** Lessons that are not written yet; kept until the store accepts them. */
export class Lessons {
  private readonly waiting = new Map<string, LearnedRow>();
  private readonly rowsById = new Map<string, LearnedRow>();
  private writing: Promise<void> | undefined;

  constructor(private readonly prisma: PrismaService) {}

  /** Adds a lesson. Undefined: nothing new, or too many about this model there. */
  add({ modelId, upstreamId, what, value, engineVersion, reason }: Lesson): LearnedRow | undefined {
    const id = `${modelId} ${upstreamId} ${what}`;
    const before = this.rowsById.get(id);
    const at = new Date();
    if (before && before.value === String(value) && at.getTime() - before.at.getTime() < FRESH_MS) return undefined;
    if (before === undefined && this.countOf(modelId, upstreamId) >= MOST_LESSONS) return undefined;
    const row: LearnedRow = {
      modelId,
      upstreamId,
      what,
      value: String(value),
      engineVersion: engineVersion ?? null,
      reason: recordedUpTo(reason, 1000),
      at,
      expiresAt: new Date(at.getTime() + HOLDS_MS),
    };
    this.rowsById.set(id, row);
    this.waiting.set(id, row);
    return row;
  }

  /** The stored rows, overlaid with those that are not written yet. */
  withUnwritten(rows: LearnedRow[]): LearnedRow[] {
    this.rowsById.clear();
    const waiting = [...this.waiting.values()];
    const all = [...rows.filter((row) => !waiting.some((other) => this.same(row, other))), ...waiting];
    for (const row of all) this.rowsById.set(idOf(row), row);
    return all;
  }

  /** True if both rows are about the same thing. */
  same(a: LearnedRow, b: LearnedRow): boolean {
    return idOf(a) === idOf(b);
  }

  private countOf(modelId: string, upstreamId: string): number {
    let count = 0;
    for (const row of this.rowsById.values()) if (row.modelId === modelId && row.upstreamId === upstreamId) count++;
    return count;
  }

  /** Writes pending lessons. Throws if the store refuses them; then they stay pending. */
  async write(): Promise<void> {
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    if (this.waiting.size === 0) return;
    const rows = [...this.waiting.entries()];
    await change(this.prisma, async (tables) => {
      for (const [, row] of rows) {
        // The model may have been removed meanwhile.
        if (!(await tables.model.findUnique({ where: { id: row.modelId }, select: { id: true } }))) continue;
        await storeLesson(tables, row);
      }
    });
    for (const [id, row] of rows) if (this.waiting.get(id) === row) this.waiting.delete(id);
  }
}

const idOf = ({ modelId, upstreamId, what }: LearnedRow): string => `${modelId} ${upstreamId} ${what}`;
