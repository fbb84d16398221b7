import { PrismaService } from '@callsmith/data/database';
import { clearExpired } from '@callsmith/data/retention';
import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { clearExpired as job } from '../jobs/clear-expired.ts';

@Injectable()
export class ClearExpiredHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(private readonly prisma: PrismaService) {}

  async run(): Promise<void> {
    await clearExpired(this.prisma);
  }
}
