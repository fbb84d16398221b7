import { PrismaService, rollUp } from '@callsmith/data';
import { Injectable } from '@nestjs/common';
import type { Handles } from '../job.ts';
import { rollUp as job } from '../jobs/roll-up.ts';

@Injectable()
export class RollUpHandler implements Handles<typeof job> {
  readonly job = job;

  constructor(private readonly prisma: PrismaService) {}

  async run(): Promise<void> {
    await rollUp(this.prisma);
  }
}
