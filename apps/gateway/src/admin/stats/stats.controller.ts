import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { RatesService } from './rates.service.ts';
import { StatsService } from './stats.service.ts';
import { UsageService } from './usage.service.ts';

@Controller()
export class StatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly figures: UsageService,
    private readonly rates: RatesService,
  ) {}

  @Serve(api.stats.overview)
  overview({ query, caller }: AdminRequest<typeof api.stats.overview>) {
    return this.stats.overview(query, caller);
  }

  @Serve(api.stats.usage)
  usage({ query, caller }: AdminRequest<typeof api.stats.usage>) {
    return this.figures.usage(query, caller);
  }

  @Serve(api.stats.usageOverTime)
  usageOverTime({ query, caller }: AdminRequest<typeof api.stats.usageOverTime>) {
    return this.figures.overTime(query, caller);
  }

  @Serve(api.stats.usageFile)
  usageFile({ query, caller }: AdminRequest<typeof api.stats.usageFile>) {
    return this.figures.file(query, caller);
  }

  @Serve(api.stats.ratesFile)
  ratesFile({ query, caller }: AdminRequest<typeof api.stats.ratesFile>) {
    return this.rates.file(query, caller);
  }
}
