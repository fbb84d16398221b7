import { PrismaService } from '@callsmith/data/database';
import { pruneRecord } from '@callsmith/data/retention';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { pruneRecord as job } from '../jobs/prune-record.ts';

@Injectable()
export class PruneRecordHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  async run(): Promise<void> {
    await pruneRecord(this.prisma, this.snapshot.settings);
  }
}
