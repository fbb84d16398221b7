import { cpuMs } from './cpu-ms.ts';

/** Rounds of the loop that stands for a millisecond of a machine that has nothing else to do. */
const roundsPerMs = 1_000_000;
const reference = 4;

/**
 * What work takes, as a multiple of what a loop beside it takes: about milliseconds of a machine that has nothing else to
 * do. Processor time alone doubles where other processes share the caches and cores; this does not. The least of three
 * readings, or the first below `enough`.
 */
export function steadyCost(work: () => void, enough: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && least >= enough; round++) {
    const before = loopMs();
    const started = cpuMs();
    work();
    const took = cpuMs() - started;
    least = Math.min(least, (took * reference * 2) / (before + loopMs()));
  }
  return least;
}

/** Processor time of the loop, which stands for `reference` milliseconds. */
function loopMs(): number {
  const started = cpuMs();
  let sum = 0;
  for (let at = 0; at < reference * roundsPerMs; at++) sum = (Math.imul(sum, 31) + at) | 0;
  return Math.max(cpuMs() - started, sum === 1 ? 2 : 1);
}
