import type { api, ModelOrder, OutcomeCounts, ReplyOf, StrategyChange } from '@callsmith/contracts';
import type { ModelEntry } from '@callsmith/data/snapshot';
import type { Overview, StatsFilter } from '@callsmith/data/stats';
import type { CallOutcome } from '@callsmith/turn';
import { inEffect } from '../models/in-effect.ts';
import { outcomesIn } from '../models/model-view.ts';
import { stepStarts } from './steps.ts';

type Reply = ReplyOf<typeof api.stats.overview>;
type FindingClass = Reply['classes'][number]['class'];

/** What an overview is put together from. */
export interface OverviewParts {
  readonly filter: StatsFilter;
  readonly overview: Overview;
  readonly changes: StrategyChange[];
  /** By id. */
  readonly models: ReadonlyMap<string, { readonly name: string; readonly demo: boolean }>;
  /** By id: those that can be asked now. */
  readonly onOffer: ReadonlyMap<string, ModelEntry>;
  readonly order: ModelOrder;
}

/** So many models are listed with their course. */
const MOST_LINES = 20;
const nothing: OutcomeCounts = { clean: 0, repaired: 0, failed: 0, none: 0 };

/** An overview as the API shows it: every step has its point, also where nothing happened. */
export function overviewView({ filter, overview, changes, models, onOffer, order }: OverviewParts): Reply {
  const steps = stepStarts(filter, overview.step);
  const series = steps.map((at) => pointAt(overview, at));
  const { totals, before } = overview;
  const tile = (part: CallOutcome) => ({
    value: share(totals, part),
    before: share(before, part),
    spark: series.map(({ counts }) => share(counts, part)),
  });
  return {
    from: filter.from.toISOString(),
    to: filter.to.toISOString(),
    step: overview.step,
    rolledUpTo: overview.rolledUpTo?.toISOString() ?? null,
    tiles: {
      clean: tile('clean'),
      repaired: tile('repaired'),
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
  const here = <T extends { at: Date }>(points: readonly T[]) => points.filter((point) => +point.at === +at);
  return {
    at: at.toISOString(),
    counts: here(outcomes).reduce(plus, nothing),
    classes: Object.fromEntries(counted(here(classes)).map(({ class: name, count }) => [name, count])),
    addedP95Us: here(added)[0]?.p95 ?? null,
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
    const counts = own.reduce(plus, nothing);
    return { modelId, model: name, demo, own, counts };
  });
  const lines = all.filter(({ counts }) => called(counts) > 0).sort(orders[order]);
  return {
    models: lines.length,
    byModel: lines.slice(0, MOST_LINES).map(({ modelId, model, demo, own, counts }) => ({
      modelId,
      model,
      demo,
      counts,
      strategy: strategyOf(onOffer.get(modelId)),
      points: steps.map((at) => {
        const counts = own.find((point) => +point.at === +at) ?? nothing;
        return { at: at.toISOString(), malformed: malformed(counts), n: called(counts) };
      }),
    })),
    failingModels: lines
      .filter(({ counts }) => counts.failed + counts.repaired > 0)
      .map(({ modelId, model, demo, counts }) => ({
        modelId,
        model,
        demo,
        counts,
        malformed: malformed(counts) ?? 0,
        topClass: counted(overview.classes.filter((point) => point.modelId === modelId))[0]?.class ?? null,
        lastFailedAt: overview.lastFailed.get(modelId)?.toISOString() ?? null,
      }))
      .sort((a, b) => failed(b.counts) - failed(a.counts) || b.malformed - a.malformed),
  };
}

interface Line {
  readonly model: string;
  readonly counts: OutcomeCounts;
}

const byName = (a: Line, b: Line) => a.model.localeCompare(b.model);
const byShare = (part: CallOutcome) => (a: Line, b: Line) =>
  (share(b.counts, part) ?? 0) - (share(a.counts, part) ?? 0);
const byCalls = (a: Line, b: Line) => called(b.counts) - called(a.counts);

const orders: Readonly<Record<ModelOrder, (a: Line, b: Line) => number>> = {
  failed: (a, b) => byShare('failed')(a, b) || byShare('repaired')(a, b) || byCalls(a, b) || byName(a, b),
  repaired: (a, b) => byShare('repaired')(a, b) || byCalls(a, b) || byName(a, b),
  calls: (a, b) => byCalls(a, b) || byName(a, b),
  name: byName,
};

const strategyOf = (entry: ModelEntry | undefined) =>
  entry ? { set: entry.strategy.value, used: inEffect(entry).strategyUsed } : null;

/** Counts by class, the most first. */
function counted(points: readonly { class: FindingClass; count: number }[]): { class: FindingClass; count: number }[] {
  const sums = new Map<FindingClass, number>();
  for (const { class: name, count } of points) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, count]) => ({ class: name, count })).sort((a, b) => b.count - a.count);
}

const plus = (sum: OutcomeCounts, point: OutcomeCounts): OutcomeCounts => ({
  clean: sum.clean + point.clean,
  repaired: sum.repaired + point.repaired,
  failed: sum.failed + point.failed,
  none: sum.none + point.none,
});

const called = ({ clean, repaired, failed }: OutcomeCounts): number => clean + repaired + failed;

const share = (counts: OutcomeCounts, part: CallOutcome): number | null =>
  called(counts) === 0 ? null : counts[part] / called(counts);

const failed = (counts: OutcomeCounts): number => share(counts, 'failed') ?? 0;

const malformed = (counts: OutcomeCounts): number | null =>
  called(counts) === 0 ? null : (counts.repaired + counts.failed) / called(counts);
