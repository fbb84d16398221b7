import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { SavedViewsService } from './saved-views.service.ts';

@Controller()
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @Serve(api.savedViews.list)
  list({ caller }: Ask<typeof api.savedViews.list>) {
    return this.views.list(caller);
  }

  @Serve(api.savedViews.create)
  create({ body, caller }: Ask<typeof api.savedViews.create>) {
    return this.views.create(body, caller);
  }

  @Serve(api.savedViews.change)
  change({ params, body, caller }: Ask<typeof api.savedViews.change>) {
    return this.views.change(params.id, body, caller);
  }

  @Serve(api.savedViews.remove)
  remove({ params, caller }: Ask<typeof api.savedViews.remove>) {
    return this.views.remove(params.id, caller);
  }
}
