import { PrismaService } from '@callsmith/data/database';
import { rollUp } from '@callsmith/data/stats';
import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler } from '../job.ts';
import { rollUp as job } from '../jobs/roll-up.ts';

@Injectable()
export class RollUpHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(private readonly prisma: PrismaService) {}

  async run(_: object, { signal }: JobContext): Promise<void> {
    await rollUp(this.prisma, new Date(), signal);
  }
}
