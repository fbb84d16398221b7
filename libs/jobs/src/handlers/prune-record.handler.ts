import { PrismaService, pruneRecord, StoreDirectory } from '@callsmith/data';
import { Injectable } from '@nestjs/common';
import type { Handles } from '../job.ts';
import { pruneRecord as job } from '../jobs/prune-record.ts';

@Injectable()
export class PruneRecordHandler implements Handles<typeof job> {
  readonly job = job;

  constructor(
    private readonly prisma: PrismaService,
    private readonly directory: StoreDirectory,
  ) {}

  async run(): Promise<void> {
    await pruneRecord(this.prisma, this.directory.settings);
  }
}
