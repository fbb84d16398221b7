import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { KeyLinksService } from './key-links.service.ts';
import { KeysService } from './keys.service.ts';

@Controller()
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly links: KeyLinksService,
  ) {}

  @Serve(api.keys.list)
  list({ query, caller }: AdminRequest<typeof api.keys.list>) {
    return this.keys.list(query, caller);
  }

  @Serve(api.keys.show)
  show({ params, caller }: AdminRequest<typeof api.keys.show>) {
    return this.keys.show(params.id, caller);
  }

  @Serve(api.keys.issue)
  issue({ body, caller }: AdminRequest<typeof api.keys.issue>) {
    return this.keys.issue(body, caller);
  }

  @Serve(api.keys.issueMany)
  issueMany({ body, caller, http }: AdminRequest<typeof api.keys.issueMany>) {
    return this.links.issueMany(body, caller, http);
  }

  @Serve(api.keys.importMany)
  importMany({ body, caller }: AdminRequest<typeof api.keys.importMany>) {
    return this.keys.importMany(body, caller);
  }

  @Serve(api.keys.change)
  change({ params, body, caller }: AdminRequest<typeof api.keys.change>) {
    return this.keys.change(params.id, body, caller);
  }

  @Serve(api.keys.changeMany)
  changeMany({ body, caller }: AdminRequest<typeof api.keys.changeMany>) {
    return this.keys.changeMany(body, caller);
  }

  @Serve(api.keys.rotate)
  rotate({ params, body, caller }: AdminRequest<typeof api.keys.rotate>) {
    return this.keys.rotate(params.id, body, caller);
  }

  @Serve(api.keys.revoke)
  revoke({ params, caller }: AdminRequest<typeof api.keys.revoke>) {
    return this.keys.revoke(params.id, caller);
  }

  @Serve(api.keys.fetchByLink)
  fetchByLink({ body, http }: AdminRequest<typeof api.keys.fetchByLink>) {
    return this.links.fetch(body.token, http);
  }
}
