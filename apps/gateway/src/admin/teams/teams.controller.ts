import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { TeamsService } from './teams.service.ts';

@Controller()
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Serve(api.teams.list)
  list({ caller }: Ask<typeof api.teams.list>) {
    return this.teams.list(caller);
  }

  @Serve(api.teams.create)
  create({ body, caller }: Ask<typeof api.teams.create>) {
    return this.teams.create(body, caller);
  }

  @Serve(api.teams.change)
  change({ params, body, caller }: Ask<typeof api.teams.change>) {
    return this.teams.change(params.id, body, caller);
  }

  @Serve(api.teams.remove)
  remove({ params, caller }: Ask<typeof api.teams.remove>) {
    return this.teams.remove(params.id, caller);
  }
}
