import type { api, BudgetHistory as BudgetView, ReplyOf, StrategyRates } from '@callsmith/contracts';
import { type BudgetHistory, type BurnRate, budgetHistory } from '@callsmith/data/alerts';
import { PrismaService } from '@callsmith/data/database';
import { findModel } from '@callsmith/data/models';
import { newestProbe, type Probe } from '@callsmith/data/probes';
import { type ModelEntry, PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { affectedBy, classesOverTime, usageBy } from '@callsmith/data/stats';
import { type StrategyUsed, strategiesUsed } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { type Caller, confinedTo } from '../access/caller.ts';
import { timeRange } from '../time-range.ts';
import { type ClassFound, reasonFor } from './evidence-reason.ts';
import { inEffect } from './in-effect.ts';
import { noActivity, outcomesIn } from './model-view.ts';
import { strategyRates } from './strategy-rates.ts';
import { unknownModel } from './unknown-model.ts';

const HOUR_MS = 3_600_000;

/** What the record shows about a model under each strategy: the evidence for a switch. */
@Injectable()
export class EvidenceService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  async show(
    id: string,
    bounds: { from?: string | undefined; to?: string | undefined },
    caller: Caller,
  ): Promise<ReplyOf<typeof api.models.evidence>> {
    const row = await findModel(this.prisma, id);
    const entry = row && this.snapshot.models().find((model) => model.id === row.id);
    if (!entry) throw unknownModel(id);
    const { from, to } = timeRange(bounds);
    const filter = { from, to, modelId: entry.id, teamId: confinedTo(caller) };
    const [sums, { keys, teams, turns }, classes, probe, course] = await Promise.all([
      usageBy(this.prisma, filter, 'strategyUsed'),
      affectedBy(this.prisma, filter),
      classesOverTime(this.prisma, filter, 60),
      probeOf(this.prisma, entry),
      budgetHistory(
        this.prisma,
        { modelId: entry.id, teamId: confinedTo(caller) },
        { budget: entry.failureBudget.value / 100, now: new Date() },
      ),
    ]);
    const sumOf = (strategy: string) => sums.find((sum) => sum.id === strategy);
    const rates = (strategy: StrategyUsed) =>
      strategyRates(outcomesIn(sumOf(strategy) ?? noActivity.outcomes), strategy, probe);
    const [native, strict, prompt] = [rates('native'), rates('strict'), rates('prompt')];
    const now = { native, strict, prompt }[inEffect(entry).strategyUsed];
    const hours = Math.max(1, (to.getTime() - from.getTime()) / HOUR_MS);
    return {
      native,
      strict,
      prompt: { ...prompt, injectedTokens: perTurn(sumOf('prompt')) },
      better: betterOf({ native, strict, prompt }, 'failed') ?? betterOf({ native, strict, prompt }, 'malformed'),
      budget: budgetView(entry.failureBudget.value, course),
      affected: { keys, teams, requestsPerHour: turns / hours },
      reason: reasonFor(now.malformed, mostFound(classes)),
    };
  }
}

/** The newest probe on the upstream that is used first, with the version of its engine. */
export async function probeOf(prisma: PrismaService, { id, routes: [first] }: ModelEntry): Promise<Probe | undefined> {
  const { upstream } = first ?? {};
  if (upstream === undefined) return undefined;
  return newestProbe(prisma, { modelId: id, upstreamId: upstream.id, engineVersion: upstream.engineVersion ?? null });
}

function budgetView(percentage: number, { whole, rates, days }: BudgetHistory): BudgetView {
  const view = (rate: BurnRate | undefined) => rate ?? null;
  return {
    percentage,
    ...whole,
    remaining: whole.calls === 0 ? null : 1 - whole.failed / (whole.calls * (percentage / 100)),
    fast: view(rates.fast),
    slow: view(rates.slow),
    days: days.map(({ at, calls, failed }) => ({ at: at.toISOString(), calls, failed })),
  };
}

type Sides = Readonly<Record<StrategyUsed, StrategyRates>>;

/** The side with a significantly lower rate than every other: no intervals overlap, and each side has enough calls. */
function betterOf(sides: Sides, kind: 'failed' | 'malformed'): StrategyUsed | null {
  const measured = strategiesUsed.flatMap((strategy) => {
    const rate = sides[strategy][kind];
    return rate && !rate.few ? [{ strategy, rate }] : [];
  });
  if (measured.length < 2) return null;
  const best = measured.find(({ strategy, rate }) =>
    measured.every((other) => other.strategy === strategy || rate.high < other.rate.low),
  );
  return best?.strategy ?? null;
}

const perTurn = (sum: { injectedTokens: number; turns: number } | undefined): number | null =>
  sum && sum.turns > 0 ? Math.round(sum.injectedTokens / sum.turns) : null;

/** The most frequent class, and when it first occurred. */
function mostFound(points: readonly { at: Date; class: string; count: number }[]): ClassFound | undefined {
  const found = new Map<string, ClassFound>();
  for (const { at, class: name, count } of points) {
    const entry = found.get(name) ?? { class: name, count: 0, since: at };
    found.set(name, { ...entry, count: entry.count + count, since: at < entry.since ? at : entry.since });
  }
  return [...found.values()].sort((a, b) => b.count - a.count)[0];
}
