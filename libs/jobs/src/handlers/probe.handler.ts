import { PrismaService } from '@callsmith/data/database';
import { claimProbe, endProbe, releaseProbe, savedCasesOf } from '@callsmith/data/probes';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { JobContext, JobHandler, PayloadOf } from '../job.ts';
import { probe as job } from '../jobs/probe.ts';
import { PROBE_CLIENT, type ProbeClient } from '../probe/probe-client.ts';
import { ProbeRun } from '../probe/probe-run.ts';

@Injectable()
export class ProbeHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(
    private readonly prisma: PrismaService,
    @Inject(PROBE_CLIENT) private readonly client: ProbeClient,
  ) {}

  async run({ id }: PayloadOf<typeof job>, { signal }: JobContext): Promise<void> {
    const probe = await claimProbe(this.prisma, id);
    if (probe === undefined) return;
    try {
      const savedCases = await savedCasesOf(this.prisma, probe);
      const end = await new ProbeRun(this.prisma, this.client, { ...probe, savedCases }).run(signal);
      if (end !== 'stopped') await endProbe(this.prisma, id, end);
      else await releaseProbe(this.prisma, id);
    } catch (error) {
      // When the process stops, the next one continues its probe.
      if (signal.aborted || (error instanceof Fault && error.code === 'shutting_down'))
        return releaseProbe(this.prisma, id);
      const problem = error instanceof Fault ? error.message : 'Something went wrong in Callsmith.';
      await endProbe(this.prisma, id, { state: 'failed', problem });
      if (!(error instanceof Fault)) throw error;
    }
  }
}
