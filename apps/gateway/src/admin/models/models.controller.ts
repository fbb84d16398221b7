import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { BreakdownService } from './breakdown.service.ts';
import { DialectsService } from './dialects.service.ts';
import { EvidenceService } from './evidence.service.ts';
import { ModelsService } from './models.service.ts';

@Controller()
export class ModelsController {
  constructor(
    private readonly models: ModelsService,
    private readonly evidence: EvidenceService,
    private readonly breakdown: BreakdownService,
    private readonly dialects: DialectsService,
  ) {}

  @Serve(api.models.list)
  list({ caller }: AdminRequest<typeof api.models.list>) {
    return this.models.list(caller);
  }

  @Serve(api.models.show)
  show({ params, caller }: AdminRequest<typeof api.models.show>) {
    return this.models.show(params.id, caller);
  }

  @Serve(api.models.create)
  create({ body, caller }: AdminRequest<typeof api.models.create>) {
    return this.models.create(body, caller);
  }

  @Serve(api.models.remove)
  remove({ params, caller }: AdminRequest<typeof api.models.remove>) {
    return this.models.remove(params.id, caller);
  }

  @Serve(api.models.change)
  change({ params, body, caller }: AdminRequest<typeof api.models.change>) {
    return this.models.change(params.id, body, caller);
  }

  @Serve(api.models.forget)
  forget({ params, query, caller }: AdminRequest<typeof api.models.forget>) {
    return this.models.forget(params.id, query, caller);
  }

  @Serve(api.models.checkConstraints)
  checkConstraints({ params, caller }: AdminRequest<typeof api.models.checkConstraints>) {
    return this.models.checkConstraints(params.id, caller);
  }

  @Serve(api.models.changes)
  changes({ params }: AdminRequest<typeof api.models.changes>) {
    return this.models.changes(params.id);
  }

  @Serve(api.models.evidence)
  showEvidence({ params, query, caller }: AdminRequest<typeof api.models.evidence>) {
    return this.evidence.show(params.id, query, caller);
  }

  @Serve(api.models.breakdown)
  showBreakdown({ params, query, caller }: AdminRequest<typeof api.models.breakdown>) {
    return this.breakdown.show(params.id, query, caller);
  }

  @Serve(api.models.dialects)
  listDialects(_: AdminRequest<typeof api.models.dialects>) {
    return this.dialects.list();
  }
}
