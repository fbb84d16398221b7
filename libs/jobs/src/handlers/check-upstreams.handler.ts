import { UpstreamWatch } from '@callsmith/data/upstreams';
import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { checkUpstreams as job } from '../jobs/check-upstreams.ts';

@Injectable()
export class CheckUpstreamsHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(private readonly watch: UpstreamWatch) {}

  async run(): Promise<void> {
    await this.watch.checkAll();
  }
}
