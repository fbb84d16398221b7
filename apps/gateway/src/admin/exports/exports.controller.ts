import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { ExportsService } from './exports.service.ts';

@Controller()
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @Serve(api.exports.list)
  list({ caller }: AdminRequest<typeof api.exports.list>) {
    return this.exports.list(caller);
  }

  @Serve(api.exports.create)
  create({ body, caller }: AdminRequest<typeof api.exports.create>) {
    return this.exports.create(body, caller);
  }

  @Serve(api.exports.file)
  file({ params, caller }: AdminRequest<typeof api.exports.file>) {
    return this.exports.file(params.id, caller);
  }

  @Serve(api.exports.remove)
  remove({ params, caller }: AdminRequest<typeof api.exports.remove>) {
    return this.exports.remove(params.id, caller);
  }
}
