/** Requests with calls in a span of time, and how many of these calls failed or went out invalid. */
export interface CallCounts {
  readonly calls: number;
  readonly failed: number;
}

/** How fast a model uses up its failure budget. */
export interface BudgetBurn extends CallCounts {
  /** The span that was looked at. */
  readonly minutes: number;
  /** So many times the budget. */
  readonly times: number;
}

/** How fast it is used up over the span that a rule looks at. */
export interface BurnRate extends BudgetBurn {
  /** So many times the budget is too fast. */
  readonly most: number;
  /** It is too fast: with enough failures, and over the recent part of the span as well. */
  readonly tooFast: boolean;
}

/** Many failures at once, and fewer over hours. */
export type BurnKind = 'fast' | 'slow';

interface Rule {
  /** So many times the budget is too fast. */
  readonly times: number;
  /** The first span with enough calls decides; the longer ones are for models that are seldom asked. */
  readonly spans: readonly { readonly minutes: number; readonly recent: number }[];
  readonly calls: number;
  readonly failed: number;
}

// Many at once, and fewer over hours. The usual factors of burn rates (14.4 over an hour) are made for objectives of
// 99.9 %: with a budget of 2 % they would sleep through one failed call in four. With at least so many calls and
// failures, a model that keeps to its budget is told of less than once in a thousand windows.
const rules: Readonly<Record<BurnKind, Rule>> = {
  fast: {
    times: 6,
    spans: [
      { minutes: 60, recent: 10 },
      { minutes: 360, recent: 60 },
      { minutes: 1440, recent: 240 },
    ],
    calls: 30,
    failed: 5,
  },
  slow: {
    times: 3,
    spans: [
      { minutes: 360, recent: 30 },
      { minutes: 1440, recent: 120 },
    ],
    calls: 100,
    failed: 8,
  },
};

/**
 * What says that a model uses up its failure budget too fast; undefined: nothing does. The failed rate must be too high
 * over the whole span and over its recent part: what is over is not told. What was told goes on until the rate is half
 * of what it was told at.
 *
 * @param budget The share of requests with calls that may fail, 0 to 1.
 * @param wasTold Whether it was too fast when it was last looked at.
 * @param countsOf The counts of the last minutes.
 */
export async function burnOf(
  budget: number,
  wasTold: boolean,
  countsOf: (minutes: number) => Promise<CallCounts>,
): Promise<BudgetBurn | undefined> {
  for (const rule of Object.values(rules)) {
    const found = await rateBy(rule, { budget, wasTold, countsOf });
    if (found?.tooFast) {
      const { calls, failed, minutes, times } = found;
      return { calls, failed, minutes, times };
    }
  }
  return undefined;
}

/** How fast a budget is used up by both rules, as for one that was not told of; undefined: too few calls to tell. */
export async function burnRates(
  budget: number,
  countsOf: (minutes: number) => Promise<CallCounts>,
): Promise<Readonly<Record<BurnKind, BurnRate | undefined>>> {
  const rateOf = (rule: Rule) => rateBy(rule, { budget, wasTold: false, countsOf });
  const [fast, slow] = await Promise.all([rateOf(rules.fast), rateOf(rules.slow)]);
  return { fast, slow };
}

/** Days that a budget is for. */
export const BUDGET_DAYS = 30;
/** By fewer calls or failures no budget counts as used up. */
const [ENOUGH_CALLS, ENOUGH_FAILED] = [100, 8];

/** Whether more failed over the days of a budget than it allows. */
export const isUsedUp = (budget: number, { calls, failed }: CallCounts): boolean =>
  calls >= ENOUGH_CALLS && failed >= ENOUGH_FAILED && failed > budget * calls;

async function rateBy(
  { times, spans, calls, failed }: Rule,
  {
    budget,
    wasTold,
    countsOf,
  }: {
    readonly budget: number;
    readonly wasTold: boolean;
    readonly countsOf: (minutes: number) => Promise<CallCounts>;
  },
): Promise<BurnRate | undefined> {
  const tooHigh = (counts: CallCounts) =>
    counts.calls > 0 && counts.failed / counts.calls >= (wasTold ? times / 2 : times) * budget;
  for (const { minutes, recent } of spans) {
    const counts = await countsOf(minutes);
    if (counts.calls < calls) continue;
    const enough = wasTold || counts.failed >= failed;
    const tooFast = enough && tooHigh(counts) && tooHigh(await countsOf(recent));
    return { ...counts, minutes, times: counts.failed / counts.calls / budget, most: times, tooFast };
  }
  return undefined;
}
