/**
 * The two-sided p-value of McNemar's exact test: the probability that two equally good arms differ at least this much.
 * Of the discordant pairs, `wins` were right in one arm only and `losses` in the other only (at most about 1,000
 * pairs). 1 if there are none. Source: McNemar 1947; exact form: the binomial test with p = 1/2 over the discordant
 * pairs.
 */
export function mcnemar(wins: number, losses: number): number {
  const pairs = wins + losses;
  const fewer = Math.min(wins, losses);
  let term = 0.5 ** pairs;
  let tail = term;
  for (let k = 1; k <= fewer; k++) {
    term *= (pairs - k + 1) / k;
    tail += term;
  }
  return Math.min(1, 2 * tail);
}
