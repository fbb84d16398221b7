import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { WebhooksService } from './webhooks.service.ts';

@Controller()
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Serve(api.webhooks.list)
  list(_: AdminRequest<typeof api.webhooks.list>) {
    return this.webhooks.list();
  }

  @Serve(api.webhooks.create)
  create({ body, caller }: AdminRequest<typeof api.webhooks.create>) {
    return this.webhooks.create(body, caller);
  }

  @Serve(api.webhooks.change)
  change({ params, body, caller }: AdminRequest<typeof api.webhooks.change>) {
    return this.webhooks.change(params.id, body, caller);
  }

  @Serve(api.webhooks.remove)
  remove({ params, caller }: AdminRequest<typeof api.webhooks.remove>) {
    return this.webhooks.remove(params.id, caller);
  }

  @Serve(api.webhooks.test)
  test({ params }: AdminRequest<typeof api.webhooks.test>) {
    return this.webhooks.test(params.id);
  }
}
