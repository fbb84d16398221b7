import { judged, unusable } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import { outcomesOverTime, totalsOf } from '../stats/outcomes.ts';
import { BUDGET_DAYS, type BurnKind, type BurnRate, burnRates, type CallCounts } from './failure-budget.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Whose calls are counted: those of a model, with `teamId` only of one team. */
interface Whose {
  readonly modelId: string;
  readonly teamId?: string | undefined;
}

/** How a model uses its failure budget. */
export interface BudgetHistory {
  /** Of the 30 days. */
  readonly whole: CallCounts;
  readonly rates: Readonly<Record<BurnKind, BurnRate | undefined>>;
  /** The days that had calls, oldest first. */
  readonly days: readonly (CallCounts & { readonly at: Date })[];
}

/** Reads the history; `budget`: the share of requests with calls that may fail, 0 to 1. */
export async function budgetHistory(
  prisma: PrismaService,
  whose: Whose,
  { budget, now }: { readonly budget: number; readonly now: Date },
): Promise<BudgetHistory> {
  const from = new Date(now.getTime() - BUDGET_DAYS * DAY_MS);
  const read = new Map<number, Promise<CallCounts>>();
  const countsOf = (minutes: number) => {
    const counts = read.get(minutes) ?? callsWithin(prisma, whose, { minutes, now });
    read.set(minutes, counts);
    return counts;
  };
  const [points, rates] = await Promise.all([
    outcomesOverTime(prisma, { ...whose, from, to: soon(now) }, DAY_MS / 1000),
    burnRates(budget, countsOf),
  ]);
  const days = points.map(({ at, ...counts }) => ({ at, calls: judged(counts), failed: unusable(counts) }));
  const sum = (name: keyof CallCounts) => days.reduce((all, day) => all + day[name], 0);
  return { whole: { calls: sum('calls'), failed: sum('failed') }, rates, days };
}

/** Requests with calls of the last minutes, and how many of them failed or were invalid. */
export async function callsWithin(
  prisma: PrismaService,
  whose: Whose,
  { minutes, now }: { readonly minutes: number; readonly now: Date },
): Promise<CallCounts> {
  const from = new Date(now.getTime() - minutes * MINUTE_MS);
  const counts = await totalsOf(prisma, { ...whose, from, to: soon(now) });
  return { calls: judged(counts), failed: unusable(counts) };
}

/** A turn that ends right now counts. */
const soon = (now: Date): Date => new Date(now.getTime() + 1_000);
