import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { ProbesService } from './probes.service.ts';

@Controller()
export class ProbesController {
  constructor(private readonly probes: ProbesService) {}

  @Serve(api.probes.start)
  start({ params, body, caller }: Ask<typeof api.probes.start>) {
    return this.probes.start(params.id, body, caller);
  }

  @Serve(api.probes.list)
  list({ params }: Ask<typeof api.probes.list>) {
    return this.probes.list(params.id);
  }

  @Serve(api.probes.show)
  show({ params }: Ask<typeof api.probes.show>) {
    return this.probes.show(params.id);
  }

  @Serve(api.probes.cancel)
  cancel({ params, caller }: Ask<typeof api.probes.cancel>) {
    return this.probes.cancel(params.id, caller);
  }
}
