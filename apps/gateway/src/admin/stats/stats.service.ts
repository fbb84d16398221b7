import type { api, OutcomeCounts, ReplyOf } from '@callsmith/contracts';
import { modelNames, namesOf, overviewOf, PrismaService, StoreDirectory, type UsageBy, usageBy } from '@callsmith/data';
import { Injectable } from '@nestjs/common';
import { type Caller, scope } from '../access/caller.ts';
import { outcomesIn } from '../models/model-view.ts';
import { strategyChanges } from '../models/strategy-changes.ts';
import { timeRange } from '../time-range.ts';
import { overviewView } from './overview-view.ts';

interface StatsAsk {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly model?: string | undefined;
  readonly teamId?: string | undefined;
  readonly client?: string | undefined;
}

const MOST_CHANGES = 200;

/** Sums and series over turns, as far as the caller may see them. */
@Injectable()
export class StatsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly directory: StoreDirectory,
  ) {}

  async overview(asked: StatsAsk, caller: Caller): Promise<ReplyOf<typeof api.stats.overview>> {
    const filter = this.#filter(asked, caller);
    const { from, to, modelId } = filter;
    const [overview, changes] = await Promise.all([
      overviewOf(this.prisma, filter),
      strategyChanges(this.prisma, { modelId, from, to, limit: MOST_CHANGES }),
    ]);
    const ids = [...new Set(overview.outcomes.map((point) => point.modelId))];
    return overviewView({ filter, overview, changes, models: await modelNames(this.prisma, ids) });
  }

  async usage(asked: StatsAsk & { by: UsageBy }, caller: Caller): Promise<ReplyOf<typeof api.stats.usage>> {
    const sums = await usageBy(this.prisma, this.#filter(asked, caller), asked.by);
    const ids = sums.map(({ id }) => id);
    const names = asked.by === 'client' ? undefined : await namesOf(this.prisma, asked.by, ids);
    return {
      items: sums.map((sum) => ({
        id: sum.id,
        name: names?.get(sum.id) ?? (sum.id || 'none'),
        turns: sum.turns,
        inputTokens: sum.inputTokens,
        outputTokens: sum.outputTokens,
        cachedTokens: sum.cachedTokens,
        injectedTokens: sum.injectedTokens,
        counts: outcomesIn(sum) satisfies OutcomeCounts,
      })),
    };
  }

  #filter({ model, teamId, client, ...range }: StatsAsk, caller: Caller) {
    const modelId = model === undefined ? undefined : this.#modelId(model);
    return { ...timeRange(range), modelId, teamId: scope(caller, teamId), client };
  }

  /** Of a name or an id; a model that is no longer on offer is found by its id. */
  #modelId(nameOrId: string): string {
    return this.directory.model(nameOrId)?.id ?? nameOrId;
  }
}
