import { PrismaService } from '@callsmith/data/database';
import { failExport, writeExport } from '@callsmith/data/exports';
import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler, PayloadOf } from '../job.ts';
import { exportTurns as job } from '../jobs/export-turns.ts';

@Injectable()
export class ExportTurnsHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(private readonly prisma: PrismaService) {}

  async run({ id }: PayloadOf<typeof job>, { signal }: JobContext): Promise<void> {
    try {
      await writeExport(this.prisma, id, { signal });
    } catch (problem) {
      // When the process stops, another attempt continues.
      if (!signal.aborted) await failExport(this.prisma, id);
      throw problem;
    }
  }
}
