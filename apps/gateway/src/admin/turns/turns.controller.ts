import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { FailureWorkService } from './failure-work.service.ts';
import { TurnsService } from './turns.service.ts';

@Controller()
export class TurnsController {
  constructor(
    private readonly turns: TurnsService,
    private readonly work: FailureWorkService,
  ) {}

  @Serve(api.turns.list)
  list({ query, caller }: AdminRequest<typeof api.turns.list>) {
    return this.turns.list(query, caller);
  }

  @Serve(api.turns.facets)
  facets({ query, caller }: AdminRequest<typeof api.turns.facets>) {
    return this.turns.facets(query, caller);
  }

  @Serve(api.turns.export)
  export({ query, caller }: AdminRequest<typeof api.turns.export>) {
    return this.turns.export(query, caller);
  }

  @Serve(api.turns.show)
  show({ params, caller }: AdminRequest<typeof api.turns.show>) {
    return this.turns.show(params.id, caller);
  }

  @Serve(api.turns.clusters)
  clusters({ query, caller }: AdminRequest<typeof api.turns.clusters>) {
    return this.turns.clusters(query, caller);
  }

  @Serve(api.turns.story)
  story({ query, caller }: AdminRequest<typeof api.turns.story>) {
    return this.work.story(query, caller);
  }

  @Serve(api.turns.work)
  decide({ body, caller }: AdminRequest<typeof api.turns.work>) {
    return this.work.decide(body, caller);
  }

  @Serve(api.turns.failures)
  failures({ query, caller }: AdminRequest<typeof api.turns.failures>) {
    return this.turns.list({ ...query, failures: 'true' }, caller);
  }
}
