import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { FailureWorkService } from './failure-work.service.ts';
import { TurnsService } from './turns.service.ts';

@Controller()
export class TurnsController {
  constructor(
    private readonly turns: TurnsService,
    private readonly work: FailureWorkService,
  ) {}

  @Serve(api.turns.list)
  list({ query, caller }: Ask<typeof api.turns.list>) {
    return this.turns.list(query, caller);
  }

  @Serve(api.turns.facets)
  facets({ query, caller }: Ask<typeof api.turns.facets>) {
    return this.turns.facets(query, caller);
  }

  @Serve(api.turns.export)
  export({ query, caller }: Ask<typeof api.turns.export>) {
    return this.turns.export(query, caller);
  }

  @Serve(api.turns.show)
  show({ params, caller }: Ask<typeof api.turns.show>) {
    return this.turns.show(params.id, caller);
  }

  @Serve(api.turns.clusters)
  clusters({ query, caller }: Ask<typeof api.turns.clusters>) {
    return this.turns.clusters(query, caller);
  }

  @Serve(api.turns.story)
  story({ query, caller }: Ask<typeof api.turns.story>) {
    return this.work.story(query, caller);
  }

  @Serve(api.turns.work)
  decide({ body, caller }: Ask<typeof api.turns.work>) {
    return this.work.decide(body, caller);
  }

  @Serve(api.turns.failures)
  failures({ query, caller }: Ask<typeof api.turns.failures>) {
    return this.turns.list({ ...query, failures: 'true' }, caller);
  }
}
