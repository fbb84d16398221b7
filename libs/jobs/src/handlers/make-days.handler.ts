import { PrismaService } from '@callsmith/data/database';
import { createDayPartitions } from '@callsmith/data/retention';
import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { makeDays as job } from '../jobs/make-days.ts';

const DAYS_AHEAD = 7;

@Injectable()
export class MakeDaysHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(private readonly prisma: PrismaService) {}

  async run(): Promise<void> {
    await createDayPartitions(this.prisma, new Date(), DAYS_AHEAD);
  }
}
