/**
 * The two-sided p-value of McNemar's exact test: how likely two arms that are equally good differ at least so much. Of the
 * pairs that came out differently, `wins` were right in one arm only and `losses` in the other only (some 1,000 pairs at most). 1 where none did.
 * Source: McNemar 1947; exact form: the binomial test with p = 1/2 over the discordant pairs.
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
