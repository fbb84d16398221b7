import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { ExperimentsService } from './experiments.service.ts';

@Controller()
export class ExperimentsController {
  constructor(private readonly experiments: ExperimentsService) {}

  @Serve(api.experiments.start)
  start({ params, body, caller }: Ask<typeof api.experiments.start>) {
    return this.experiments.start(params.id, body, caller);
  }

  @Serve(api.experiments.list)
  list({ params }: Ask<typeof api.experiments.list>) {
    return this.experiments.list(params.id);
  }

  @Serve(api.experiments.keep)
  keep({ params, caller }: Ask<typeof api.experiments.keep>) {
    return this.experiments.keep(params.id, caller);
  }

  @Serve(api.experiments.undo)
  undo({ params, caller }: Ask<typeof api.experiments.undo>) {
    return this.experiments.undo(params.id, caller);
  }
}
