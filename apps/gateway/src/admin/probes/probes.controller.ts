import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { ProbesService } from './probes.service.ts';

@Controller()
export class ProbesController {
  constructor(private readonly probes: ProbesService) {}

  @Serve(api.probes.start)
  start({ params, body, caller }: AdminRequest<typeof api.probes.start>) {
    return this.probes.start(params.id, body, caller);
  }

  @Serve(api.probes.list)
  list({ params }: AdminRequest<typeof api.probes.list>) {
    return this.probes.list(params.id);
  }

  @Serve(api.probes.show)
  show({ params }: AdminRequest<typeof api.probes.show>) {
    return this.probes.show(params.id);
  }

  @Serve(api.probes.cancel)
  cancel({ params, caller }: AdminRequest<typeof api.probes.cancel>) {
    return this.probes.cancel(params.id, caller);
  }

  @Serve(api.probes.cases)
  cases({ params }: AdminRequest<typeof api.probes.cases>) {
    return this.probes.cases(params.id);
  }

  @Serve(api.probes.saveCase)
  saveCase({ params, body, caller }: AdminRequest<typeof api.probes.saveCase>) {
    return this.probes.saveCase(params.id, body, caller);
  }

  @Serve(api.probes.deleteCase)
  deleteCase({ params, caller }: AdminRequest<typeof api.probes.deleteCase>) {
    return this.probes.deleteCase(params.id, caller);
  }
}
