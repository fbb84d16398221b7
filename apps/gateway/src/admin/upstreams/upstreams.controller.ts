import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { ConnectionTest } from './connection-test.service.ts';
import { UpstreamsService } from './upstreams.service.ts';

@Controller()
export class UpstreamsController {
  constructor(
    private readonly upstreams: UpstreamsService,
    private readonly connection: ConnectionTest,
  ) {}

  @Serve(api.upstreams.list)
  list(_: AdminRequest<typeof api.upstreams.list>) {
    return this.upstreams.list();
  }

  @Serve(api.upstreams.create)
  create({ body, caller }: AdminRequest<typeof api.upstreams.create>) {
    return this.upstreams.create(body, caller);
  }

  @Serve(api.upstreams.test)
  test({ body }: AdminRequest<typeof api.upstreams.test>) {
    return this.connection.run(body);
  }

  @Serve(api.upstreams.change)
  change({ params, body, caller }: AdminRequest<typeof api.upstreams.change>) {
    return this.upstreams.change(params.id, body, caller);
  }

  @Serve(api.upstreams.remove)
  remove({ params, caller }: AdminRequest<typeof api.upstreams.remove>) {
    return this.upstreams.remove(params.id, caller);
  }

  @Serve(api.upstreams.discover)
  discover({ params }: AdminRequest<typeof api.upstreams.discover>) {
    return this.upstreams.discover(params.id);
  }

  @Serve(api.upstreams.health)
  health({ params }: AdminRequest<typeof api.upstreams.health>) {
    return this.upstreams.health(params.id);
  }
}
