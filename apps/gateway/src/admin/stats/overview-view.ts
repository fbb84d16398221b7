import {
  type api,
  judged,
  type ModelOrder,
  malformed,
  noOutcomes,
  type OutcomeCounts,
  type ReplyOf,
  type StrategyChange,
  shareOfJudged,
  unusable,
} from '@callsmith/contracts';
import type { ModelEntry } from '@callsmith/data/snapshot';
import type { Overview, StatsFilter } from '@callsmith/data/stats';
import type { CallOutcome } from '@callsmith/turn';
import { inEffect } from '../models/in-effect.ts';
import { outcomesIn } from '../models/model-view.ts';
import { stepStarts } from './steps.ts';

type Reply = ReplyOf<typeof api.stats.overview>;
type FindingClass = Reply['classes'][number]['class'];

/** The parts of an overview. */
export interface OverviewParts {
  readonly filter: StatsFilter;
  readonly overview: Overview;
  readonly changes: StrategyChange[];
  /** By id. */
  readonly models: ReadonlyMap<string, { readonly name: string; readonly demo: boolean }>;
  /** By id: those that are available now. */
  readonly onOffer: ReadonlyMap<string, ModelEntry>;
  readonly order: ModelOrder;
  /** When calls began to be checked against their schema; undefined: from the first one. */
  readonly validitySince: string | undefined;
}

/** Maximum models that are listed with their series. */
const MOST_LINES = 20;

/** An overview as the API shows it: every step has a point, also without requests. */
export function overviewView(parts: OverviewParts): Reply {
  const { filter, overview, changes, models, onOffer, order } = parts;
  const steps = stepStarts(filter, overview.step);
  const series = steps.map((at) => pointAt(overview, at));
  const { totals, before } = overview;
  const tile = (part: CallOutcome) => ({
    value: shareOfJudged(totals[part], totals),
    before: shareOfJudged(before[part], before),
    spark: series.map(({ counts }) => shareOfJudged(counts[part], counts)),
  });
  return {
    from: filter.from.toISOString(),
    to: filter.to.toISOString(),
    step: overview.step,
    validitySince: parts.validitySince ?? null,
    rolledUpTo: overview.rolledUpTo?.toISOString() ?? null,
    tiles: {
      clean: tile('clean'),
      repaired: tile('repaired'),
      invalid: tile('invalid'),
      failed: tile('failed'),
      addedP95: {
        value: overview.addedP95 ?? null,
        before: overview.addedP95Before ?? null,
        spark: series.map(({ addedP95Us }) => addedP95Us),
      },
    },
    series,
    ...byModel({ overview, models, onOffer, order, steps }),
    classes: counted(overview.classes),
    changes,
    totals: { ...outcomesIn(totals), turns: totals.turns, errors: totals.errors },
  };
}

function pointAt({ outcomes, classes, added }: Overview, at: Date): Reply['series'][number] {
  const atPoint = <T extends { at: Date }>(points: readonly T[]) => points.filter((point) => +point.at === +at);
  return {
    at: at.toISOString(),
    counts: atPoint(outcomes).reduce(plus, noOutcomes),
    classes: Object.fromEntries(counted(atPoint(classes)).map(({ class: name, count }) => [name, count])),
    addedP95Us: atPoint(added)[0]?.p95 ?? null,
  };
}

function byModel({
  overview,
  models,
  onOffer,
  order,
  steps,
}: Pick<OverviewParts, 'overview' | 'models' | 'onOffer' | 'order'> & { steps: Date[] }) {
  const all = [...models].map(([modelId, { name, demo }]) => {
    const own = overview.outcomes.filter((point) => point.modelId === modelId);
    const counts = own.reduce(plus, noOutcomes);
    return { modelId, model: name, demo, own, counts };
  });
  const lines = all.filter(({ counts }) => judged(counts) > 0).sort(orders[order]);
  return {
    models: lines.length,
    byModel: lines.slice(0, MOST_LINES).map(({ modelId, model, demo, own, counts }) => ({
      modelId,
      model,
      demo,
      counts,
      strategy: strategyOf(onOffer.get(modelId)),
      points: steps.map((at) => {
        const counts = own.find((point) => +point.at === +at) ?? noOutcomes;
        return { at: at.toISOString(), malformed: malformedRate(counts), n: judged(counts) };
      }),
    })),
    failingModels: lines
      .filter(({ counts }) => malformed(counts) > 0)
      .map(({ modelId, model, demo, counts }) => ({
        modelId,
        model,
        demo,
        counts,
        malformed: malformedRate(counts) ?? 0,
        topClass: counted(overview.classes.filter((point) => point.modelId === modelId))[0]?.class ?? null,
        lastFailedAt: overview.lastFailed.get(modelId)?.toISOString() ?? null,
      }))
      .sort((a, b) => failedRate(b.counts) - failedRate(a.counts) || b.malformed - a.malformed),
  };
}

interface Line {
  readonly model: string;
  readonly counts: OutcomeCounts;
}

const byName = (a: Line, b: Line) => a.model.localeCompare(b.model);
const byFailed = (a: Line, b: Line) => failedRate(b.counts) - failedRate(a.counts);
const byRepaired = (a: Line, b: Line) =>
  (shareOfJudged(b.counts.repaired, b.counts) ?? 0) - (shareOfJudged(a.counts.repaired, a.counts) ?? 0);
const byCalls = (a: Line, b: Line) => judged(b.counts) - judged(a.counts);

const orders: Readonly<Record<ModelOrder, (a: Line, b: Line) => number>> = {
  failed: (a, b) => byFailed(a, b) || byRepaired(a, b) || byCalls(a, b) || byName(a, b),
  repaired: (a, b) => byRepaired(a, b) || byCalls(a, b) || byName(a, b),
  calls: (a, b) => byCalls(a, b) || byName(a, b),
  name: byName,
};

const strategyOf = (entry: ModelEntry | undefined) =>
  entry ? { set: entry.strategy.value, used: inEffect(entry).strategyUsed } : null;

/** Counts by class, the most frequent first. */
function counted(points: readonly { class: FindingClass; count: number }[]): { class: FindingClass; count: number }[] {
  const sums = new Map<FindingClass, number>();
  for (const { class: name, count } of points) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, count]) => ({ class: name, count })).sort((a, b) => b.count - a.count);
}

const plus = (sum: OutcomeCounts, point: OutcomeCounts): OutcomeCounts => ({
  clean: sum.clean + point.clean,
  repaired: sum.repaired + point.repaired,
  invalid: sum.invalid + point.invalid,
  failed: sum.failed + point.failed,
  none: sum.none + point.none,
});

const failedRate = (counts: OutcomeCounts): number => shareOfJudged(unusable(counts), counts) ?? 0;

const malformedRate = (counts: OutcomeCounts): number | null => shareOfJudged(malformed(counts), counts);
