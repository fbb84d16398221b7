import { PrismaService } from '@callsmith/data/database';
import { latestProbes, openProbes } from '@callsmith/data/probes';
import { CONFIG_SNAPSHOT, type ConfigSnapshot } from '@callsmith/data/snapshot';
import { Inject, Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { JOB_RUNNER } from '../job-runner-token.ts';
import { probe } from '../jobs/probe.ts';
import { watchProbes as job } from '../jobs/watch-probes.ts';
import { beginProbe } from '../probe/begin-probe.ts';
import { type DueProbe, dueProbes } from '../probe/due-probes.ts';
import { PROBE_CLIENT, type ProbeClient } from '../probe/probe-client.ts';
import type { JobRunner } from '../runner.ts';

@Injectable()
export class WatchProbesHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(
    private readonly prisma: PrismaService,
    @Inject(CONFIG_SNAPSHOT) private readonly snapshot: ConfigSnapshot,
    @Inject(PROBE_CLIENT) private readonly client: ProbeClient,
    @Inject(JOB_RUNNER) private readonly jobs: JobRunner,
  ) {}

  /** A probe that is requested twice only runs once. */
  async run(): Promise<void> {
    for (const id of await openProbes(this.prisma)) await this.jobs.add(probe, { id });
    const due = dueProbes(this.snapshot.models(), await latestProbes(this.prisma), new Date());
    for (const one of due) if (await this.begins(one)) return;
  }

  /** One per minute at most: false if it has to wait. */
  private async begins(due: DueProbe): Promise<boolean> {
    const { prisma, jobs, client } = this;
    const started = await beginProbe({ prisma, jobs, client }, { actor: 'schedule' }, { ...due, size: 'quick' });
    return 'probe' in started;
  }
}
