import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { TrialsService } from './trials.service.ts';

@Controller()
export class TrialsController {
  constructor(private readonly trials: TrialsService) {}

  @Serve(api.trials.start)
  start({ params, body, caller }: AdminRequest<typeof api.trials.start>) {
    return this.trials.start(params.id, body, caller);
  }

  @Serve(api.trials.show)
  show({ params, caller }: AdminRequest<typeof api.trials.show>) {
    return this.trials.show(params.id, caller);
  }

  @Serve(api.trials.cancel)
  cancel({ params, caller }: AdminRequest<typeof api.trials.cancel>) {
    return this.trials.cancel(params.id, caller);
  }
}
