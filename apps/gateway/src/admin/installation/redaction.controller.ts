import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { RedactionService } from './redaction.service.ts';

@Controller()
export class RedactionController {
  constructor(private readonly redaction: RedactionService) {}

  @Serve(api.redaction.show)
  show(_: Ask<typeof api.redaction.show>) {
    return this.redaction.show();
  }

  @Serve(api.redaction.add)
  add({ body, caller }: Ask<typeof api.redaction.add>) {
    return this.redaction.add(body, caller);
  }

  @Serve(api.redaction.remove)
  remove({ params, caller }: Ask<typeof api.redaction.remove>) {
    return this.redaction.remove(params.id, caller);
  }

  @Serve(api.redaction.try)
  try({ body }: Ask<typeof api.redaction.try>) {
    return this.redaction.try(body);
  }
}
