import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { ConnectionTest } from './connection-test.service.ts';
import { UpstreamsService } from './upstreams.service.ts';

@Controller()
export class UpstreamsController {
  constructor(
    private readonly upstreams: UpstreamsService,
    private readonly connection: ConnectionTest,
  ) {}

  @Serve(api.upstreams.list)
  list(_: Ask<typeof api.upstreams.list>) {
    return this.upstreams.list();
  }

  @Serve(api.upstreams.create)
  create({ body, caller }: Ask<typeof api.upstreams.create>) {
    return this.upstreams.create(body, caller);
  }

  @Serve(api.upstreams.test)
  test({ body }: Ask<typeof api.upstreams.test>) {
    return this.connection.run(body);
  }

  @Serve(api.upstreams.change)
  change({ params, body, caller }: Ask<typeof api.upstreams.change>) {
    return this.upstreams.change(params.id, body, caller);
  }

  @Serve(api.upstreams.remove)
  remove({ params, caller }: Ask<typeof api.upstreams.remove>) {
    return this.upstreams.remove(params.id, caller);
  }

  @Serve(api.upstreams.discover)
  discover({ params }: Ask<typeof api.upstreams.discover>) {
    return this.upstreams.discover(params.id);
  }

  @Serve(api.upstreams.health)
  health({ params }: Ask<typeof api.upstreams.health>) {
    return this.upstreams.health(params.id);
  }
}
