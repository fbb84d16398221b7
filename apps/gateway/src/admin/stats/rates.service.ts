import type { StrategyRates } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { csvRow } from '@callsmith/data/exports';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { namesOf, outcomesByStrategy } from '@callsmith/data/stats';
import { wilson } from '@callsmith/evaluate';
import type { StrategyUsed } from '@callsmith/turn';
import { Injectable, StreamableFile } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { probeOf } from '../models/evidence.service.ts';
import { outcomesIn } from '../models/model-view.ts';
import { strategyRates } from '../models/strategy-rates.ts';
import { type StatsQuery, statsFilter } from './stats-filter.ts';

/** The rates of all models by strategy, as far as the caller may see them. */
@Injectable()
export class RatesService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  /** As CSV, a row for each model and strategy that had requests with tools. */
  async file(query: StatsQuery, caller: Caller): Promise<StreamableFile> {
    const sums = await outcomesByStrategy(this.prisma, statsFilter(query, caller, this.snapshot));
    const ids = [...new Set(sums.map(({ modelId }) => modelId))];
    const names = await namesOf(this.prisma, 'model', ids);
    const probes = new Map<string, Awaited<ReturnType<typeof probeOf>>>();
    for (const entry of this.snapshot.models())
      if (ids.includes(entry.id)) probes.set(entry.id, await probeOf(this.prisma, entry));
    const rows = sums.map(({ modelId, strategyUsed, ...sum }) => {
      const rates = strategyRates(outcomesIn(sum), strategyUsed as StrategyUsed, probes.get(modelId));
      return [modelId, names.get(modelId) ?? modelId, strategyUsed, ...cellsOf(rates)];
    });
    const text = [['modelId', 'model', 'strategyUsed', ...columns], ...rows].map(csvRow).join('');
    return new StreamableFile(Buffer.from(text), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="rates.csv"',
    });
  }
}

const outcomes = ['clean', 'repaired', 'invalid', 'failed', 'none'] as const;

/** As made: what the model wrote; as delivered: what the client got. */
const rateNames = [
  'validAsMade',
  'malformedAsMade',
  'validAsDelivered',
  'unusableAsDelivered',
  'noCall',
  'schemaAccuracy',
] as const;

const columns = [
  ...outcomes,
  ...rateNames.flatMap((name) => [name, `${name}N`, `${name}Low`, `${name}High`]),
  'triggerF1',
  'triggerF1N',
  'triggerF1At',
];

function cellsOf({ counts, valid, failed, malformed, noCall, schemaAccuracy, triggerF1 }: StrategyRates) {
  const validAsMade = malformed && wilson(counts.clean, malformed.n);
  const rates = [validAsMade, malformed, valid, failed, noCall, schemaAccuracy];
  return [
    ...outcomes.map((name) => counts[name]),
    ...rates.flatMap((rate) => [rate?.value, rate?.n, rate?.low, rate?.high]),
    triggerF1?.value,
    triggerF1?.n,
    triggerF1?.at,
  ];
}
