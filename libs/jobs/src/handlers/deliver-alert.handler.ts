import { Alerts } from '@callsmith/data/alerts';
import { Injectable } from '@nestjs/common';
import type { JobHandler, PayloadOf } from '../job.ts';
import { deliverAlert as job } from '../jobs/deliver-alert.ts';

@Injectable()
export class DeliverAlertHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(private readonly alerts: Alerts) {}

  async run({ id }: PayloadOf<typeof job>): Promise<void> {
    await this.alerts.deliver(id, job.tries);
  }
}
