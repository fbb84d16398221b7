/** Requests with calls in a span of time, and how many of these calls failed or went out invalid. */
export interface CallCounts {
  readonly calls: number;
  readonly failed: number;
}

/** How fast a model uses up its failure budget. */
export interface Burn extends CallCounts {
  /** The span that was looked at. */
  readonly minutes: number;
  /** So many times the budget. */
  readonly times: number;
}

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
const rules: readonly Rule[] = [
  {
    times: 6,
    spans: [
      { minutes: 60, recent: 10 },
      { minutes: 360, recent: 60 },
      { minutes: 1440, recent: 240 },
    ],
    calls: 30,
    failed: 5,
  },
  {
    times: 3,
    spans: [
      { minutes: 360, recent: 30 },
      { minutes: 1440, recent: 120 },
    ],
    calls: 100,
    failed: 8,
  },
];

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
): Promise<Burn | undefined> {
  for (const rule of rules) {
    const tooHigh = ({ calls, failed }: CallCounts) =>
      calls > 0 && failed / calls >= (wasTold ? rule.times / 2 : rule.times) * budget;
    for (const { minutes, recent } of rule.spans) {
      const counts = await countsOf(minutes);
      if (counts.calls < rule.calls) continue;
      const enough = wasTold || counts.failed >= rule.failed;
      if (enough && tooHigh(counts) && tooHigh(await countsOf(recent)))
        return { ...counts, minutes, times: counts.failed / counts.calls / budget };
      break;
    }
  }
  return undefined;
}
