import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { RedactionService } from './redaction.service.ts';

@Controller()
export class RedactionController {
  constructor(private readonly redaction: RedactionService) {}

  @Serve(api.redaction.show)
  show(_: AdminRequest<typeof api.redaction.show>) {
    return this.redaction.show();
  }

  @Serve(api.redaction.add)
  add({ body, caller }: AdminRequest<typeof api.redaction.add>) {
    return this.redaction.add(body, caller);
  }

  @Serve(api.redaction.remove)
  remove({ params, caller }: AdminRequest<typeof api.redaction.remove>) {
    return this.redaction.remove(params.id, caller);
  }

  @Serve(api.redaction.try)
  try({ body }: AdminRequest<typeof api.redaction.try>) {
    return this.redaction.try(body);
  }
}
