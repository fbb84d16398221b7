import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { SavedViewsService } from './saved-views.service.ts';

@Controller()
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @Serve(api.savedViews.list)
  list({ caller }: AdminRequest<typeof api.savedViews.list>) {
    return this.views.list(caller);
  }

  @Serve(api.savedViews.create)
  create({ body, caller }: AdminRequest<typeof api.savedViews.create>) {
    return this.views.create(body, caller);
  }

  @Serve(api.savedViews.change)
  change({ params, body, caller }: AdminRequest<typeof api.savedViews.change>) {
    return this.views.change(params.id, body, caller);
  }

  @Serve(api.savedViews.remove)
  remove({ params, caller }: AdminRequest<typeof api.savedViews.remove>) {
    return this.views.remove(params.id, caller);
  }
}
