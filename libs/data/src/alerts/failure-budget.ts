/** Requests with calls in a period, and how many of their calls failed or were invalid. */
export interface CallCounts {
  readonly calls: number;
  readonly failed: number;
}

/** How fast a model uses up its failure budget. */
export interface BudgetBurn extends CallCounts {
  /** The period. */
  readonly minutes: number;
  /** Multiples of the budget's rate. */
  readonly times: number;
}

/** How fast it is used up over a rule's period. */
export interface BurnRate extends BudgetBurn {
  /** From this multiple on it is too fast. */
  readonly most: number;
  /** It is too fast: with enough failures, and over the recent part of the period as well. */
  readonly tooFast: boolean;
}

/** Two rules: many failures in a short time, and fewer over hours. */
export type BurnKind = 'fast' | 'slow';

interface Rule {
  /** From this multiple on it is too fast. */
  readonly times: number;
  /** The first period with enough calls decides; the longer ones are for models with few requests. */
  readonly spans: readonly { readonly minutes: number; readonly recent: number }[];
  readonly calls: number;
  readonly failed: number;
}

// Many in a short time, and fewer over hours. The usual burn rate factors (14.4 over an hour) are made for objectives
// of 99.9 %: with a budget of 2 % they would miss one failed call in four. With these minimum calls and failures, a
// model within its budget is reported less than once in a thousand windows.
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

/** How fast a budget is used up by both rules, as for one without an active alert; undefined: too few calls. */
export async function burnRates(
  budget: number,
  countsOf: (minutes: number) => Promise<CallCounts>,
): Promise<Readonly<Record<BurnKind, BurnRate | undefined>>> {
  const rateOf = (rule: Rule) => rateBy(rule, { budget, wasTold: false, countsOf });
  const [fast, slow] = await Promise.all([rateOf(rules.fast), rateOf(rules.slow)]);
  return { fast, slow };
}

/** Days of a budget. */
export const BUDGET_DAYS = 30;
/** With fewer calls or failures no budget counts as used up. */
const [ENOUGH_CALLS, ENOUGH_FAILED] = [100, 8];

/** Whether more failed over a budget's days than it allows. */
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
