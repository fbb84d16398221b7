import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { ExperimentsService } from './experiments.service.ts';

@Controller()
export class ExperimentsController {
  constructor(private readonly experiments: ExperimentsService) {}

  @Serve(api.experiments.start)
  start({ params, body, caller }: AdminRequest<typeof api.experiments.start>) {
    return this.experiments.start(params.id, body, caller);
  }

  @Serve(api.experiments.list)
  list({ params }: AdminRequest<typeof api.experiments.list>) {
    return this.experiments.list(params.id);
  }

  @Serve(api.experiments.keep)
  keep({ params, caller }: AdminRequest<typeof api.experiments.keep>) {
    return this.experiments.keep(params.id, caller);
  }

  @Serve(api.experiments.undo)
  undo({ params, caller }: AdminRequest<typeof api.experiments.undo>) {
    return this.experiments.undo(params.id, caller);
  }
}
