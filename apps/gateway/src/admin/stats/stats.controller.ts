import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type Ask, Serve } from '../contract.ts';
import { StatsService } from './stats.service.ts';

@Controller()
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Serve(api.stats.overview)
  overview({ query, caller }: Ask<typeof api.stats.overview>) {
    return this.stats.overview(query, caller);
  }

  @Serve(api.stats.usage)
  usage({ query, caller }: Ask<typeof api.stats.usage>) {
    return this.stats.usage(query, caller);
  }
}
