import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { TeamsService } from './teams.service.ts';

@Controller()
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Serve(api.teams.list)
  list({ caller }: AdminRequest<typeof api.teams.list>) {
    return this.teams.list(caller);
  }

  @Serve(api.teams.create)
  create({ body, caller }: AdminRequest<typeof api.teams.create>) {
    return this.teams.create(body, caller);
  }

  @Serve(api.teams.change)
  change({ params, body, caller }: AdminRequest<typeof api.teams.change>) {
    return this.teams.change(params.id, body, caller);
  }

  @Serve(api.teams.remove)
  remove({ params, caller }: AdminRequest<typeof api.teams.remove>) {
    return this.teams.remove(params.id, caller);
  }
}
