import { Alerts } from '@callsmith/data/alerts';
import { Inject, Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { JOB_RUNNER } from '../job-runner-token.ts';
import { deliverAlert } from '../jobs/deliver-alert.ts';
import { watchAlerts as job } from '../jobs/watch-alerts.ts';
import type { JobRunner } from '../runner.ts';

@Injectable()
export class WatchAlertsHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(
    private readonly alerts: Alerts,
    @Inject(JOB_RUNNER) private readonly jobs: JobRunner,
  ) {}

  /** Nothing is requested twice: the delivery's id is the job's. */
  async run(): Promise<void> {
    for (const id of await this.alerts.watch()) await this.jobs.add(deliverAlert, { id }, { id });
  }
}
