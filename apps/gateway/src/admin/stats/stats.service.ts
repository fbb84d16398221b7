import type { api, ModelOrder, ReplyOf } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { modelNames } from '@callsmith/data/models';
import { readSetting } from '@callsmith/data/settings';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { overviewOf } from '@callsmith/data/stats';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { strategyChanges } from '../models/strategy-changes.ts';
import { overviewView } from './overview-view.ts';
import { type StatsQuery, statsFilter } from './stats-filter.ts';

const MOST_CHANGES = 200;
/** The row that the migration `validity` writes if there were earlier requests. */
const VALIDITY_SINCE = 'validity-since';

/** Sums and series over turns, as far as the caller may see them. */
@Injectable()
export class StatsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  async overview(
    { models: order, ...query }: StatsQuery & { models: ModelOrder },
    caller: Caller,
  ): Promise<ReplyOf<typeof api.stats.overview>> {
    const filter = statsFilter(query, caller, this.snapshot);
    const { from, to, modelId } = filter;
    const [overview, changes, validitySince] = await Promise.all([
      overviewOf(this.prisma, filter),
      strategyChanges(this.prisma, { modelId, from, to, limit: MOST_CHANGES }),
      readSetting(this.prisma, VALIDITY_SINCE),
    ]);
    const ids = [...new Set(overview.outcomes.map((point) => point.modelId))];
    return overviewView({
      filter,
      overview,
      changes,
      models: await modelNames(this.prisma, ids),
      order,
      validitySince: typeof validitySince === 'string' ? new Date(validitySince).toISOString() : undefined,
      onOffer: new Map(this.snapshot.models().map((entry) => [entry.id, entry])),
    });
  }
}
