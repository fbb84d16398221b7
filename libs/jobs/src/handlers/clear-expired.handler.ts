import { clearExpired, PrismaService } from '@callsmith/data';
import { Injectable } from '@nestjs/common';
import type { Handles } from '../job.ts';
import { clearExpired as job } from '../jobs/clear-expired.ts';

@Injectable()
export class ClearExpiredHandler implements Handles<typeof job> {
  readonly job = job;

  constructor(private readonly prisma: PrismaService) {}

  async run(): Promise<void> {
    await clearExpired(this.prisma);
  }
}
