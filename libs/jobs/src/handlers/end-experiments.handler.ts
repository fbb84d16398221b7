import { PrismaService } from '@callsmith/data/database';
import { dueExperiments, endExperiment, experimentArms } from '@callsmith/data/experiments';
import { formName, judgeExperiment } from '@callsmith/evaluate';
import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { endExperiments as job } from '../jobs/end-experiments.ts';

@Injectable()
export class EndExperimentsHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(private readonly prisma: PrismaService) {}

  /** One that was ended meanwhile is not changed. */
  async run(): Promise<void> {
    for (const experiment of await dueExperiments(this.prisma)) {
      const { tried, others } = await experimentArms(this.prisma, experiment);
      await endExperiment(this.prisma, experiment, judgeExperiment(formName(experiment), tried, others));
    }
  }
}
