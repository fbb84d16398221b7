import type { api, OutcomeCounts, ReplyOf, UsageBy } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { csvRow } from '@callsmith/data/exports';
import { findKey } from '@callsmith/data/keys';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import {
  chartStepSeconds,
  namesOf,
  type StatsFilter,
  type Totals,
  totalsOf,
  usageBy,
  usageOverTime,
} from '@callsmith/data/stats';
import { Fault } from '@callsmith/turn';
import { Injectable, StreamableFile } from '@nestjs/common';
import { type Caller, refuseOtherTeam } from '../access/caller.ts';
import { outcomesIn } from '../models/model-view.ts';
import { Budgets, type UsedBudgets } from './budgets.service.ts';
import { type StatsQuery, statsFilter } from './stats-filter.ts';
import { pointsOf, seriesOf, sumsIn } from './usage-view.ts';

type Ask = StatsQuery & { readonly by: UsageBy };
type OverTime = ReplyOf<typeof api.stats.usageOverTime>;
type Named = Totals & { readonly id: string; readonly name: string };

/** Tokens and turns by key, model, team or client, as far as the caller may see them. */
@Injectable()
export class UsageService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly budgets: Budgets,
  ) {}

  async usage(query: Ask, caller: Caller): Promise<ReplyOf<typeof api.stats.usage>> {
    const items = await this.#items(statsFilter(query, caller, this.snapshot), query.by);
    return {
      items: items.map(({ id, name, ...sum }) => ({
        id,
        name,
        ...sumsIn(sum),
        counts: outcomesIn(sum) satisfies OutcomeCounts,
      })),
    };
  }

  async overTime(query: Ask, caller: Caller): Promise<OverTime> {
    const filter = statsFilter(query, caller, this.snapshot);
    const only = await this.#only(filter, caller);
    const step = chartStepSeconds(filter);
    const [parts, totals, items] = await Promise.all([
      usageOverTime(this.prisma, filter, { step, by: query.by }),
      totalsOf(this.prisma, filter),
      this.#items(filter, query.by),
    ]);
    const budgets = await this.#budgets(query.by, items);
    return {
      from: filter.from.toISOString(),
      to: filter.to.toISOString(),
      step,
      points: pointsOf(parts, filter, step),
      totals: sumsIn(totals),
      items: items.map(({ id, name, ...sum }) => ({
        id,
        name,
        ...sumsIn(sum),
        course: seriesOf(parts, id, filter, step),
        ...budgetsView(budgets?.get(id)),
      })),
      only,
    };
  }

  /** The items as CSV, with the budgets of keys and teams. */
  async file(query: Ask, caller: Caller): Promise<StreamableFile> {
    const filter = statsFilter(query, caller, this.snapshot);
    await this.#only(filter, caller);
    const items = await this.#items(filter, query.by);
    const budgets = await this.#budgets(query.by, items);
    const rows = items.map((item) => {
      const { tokens, spend } = budgets?.get(item.id) ?? {};
      const period = tokens?.period ?? spend?.period;
      const budget = [tokens?.limit, period, tokens?.used, item.spend, spend?.limit, spend?.used];
      return [...columns.map((name) => item[name]), ...budget];
    });
    const names = ['budgetTokens', 'budgetPeriod', 'budgetUsed', 'spend', 'budgetSpend', 'budgetSpendUsed'];
    const text = [[...columns, ...names], ...rows].map(csvRow).join('');
    return new StreamableFile(Buffer.from(text), {
      type: 'text/csv; charset=utf-8',
      disposition: `attachment; filename="usage-by-${query.by}.csv"`,
    });
  }

  async #budgets(by: UsageBy, items: readonly Named[]): Promise<ReadonlyMap<string, UsedBudgets> | undefined> {
    const ids = items.map(({ id }) => id);
    if (by === 'key') return this.budgets.ofKeys(ids);
    return by === 'team' ? this.budgets.ofTeams(ids) : undefined;
  }

  async #items(filter: StatsFilter, by: UsageBy): Promise<Named[]> {
    const sums = await usageBy(this.prisma, filter, by);
    const names =
      by === 'client'
        ? undefined
        : await namesOf(
            this.prisma,
            by,
            sums.map(({ id }) => id),
          );
    return sums.map((sum) => ({ ...sum, name: names?.get(sum.id) ?? (sum.id || 'none') }));
  }

  /** The display name of the filter's subject. A key of another team is a 404 (security 29). */
  async #only({ modelId, teamId, keyId }: StatsFilter, caller: Caller): Promise<OverTime['only']> {
    const name = async (by: 'model' | 'team', id: string | undefined) =>
      id ? ((await namesOf(this.prisma, by, [id])).get(id) ?? id) : null;
    const key = keyId === undefined ? null : await findKey(this.prisma, keyId);
    if (keyId !== undefined && !key) throw new Fault('not_found', 'Key not found.', { param: 'keyId' });
    if (key) refuseOtherTeam(caller, key.teamId, 'key');
    return {
      model: await name('model', modelId),
      team: await name('team', teamId),
      key: key && `${key.holder} (${key.hint})`,
    };
  }
}

const budgetsView = ({
  tokens,
  spend,
}: UsedBudgets = {}): Pick<OverTime['items'][number], 'budget' | 'spendBudget'> => ({
  budget: tokens ? { tokens: tokens.limit, period: tokens.period, used: tokens.used } : null,
  spendBudget: spend ?? null,
});

const columns = ['id', 'name', 'turns', 'inputTokens', 'outputTokens', 'cachedTokens', 'injectedTokens'] as const;
