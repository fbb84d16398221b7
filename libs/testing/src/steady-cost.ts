import { cpuMs } from './cpu-ms.ts';

/** Iterations of the loop that take a millisecond on an idle machine. */
const roundsPerMs = 1_000_000;
const reference = 4;

/**
 * The cost of work, as a multiple of a loop measured beside it: about milliseconds of an idle machine. CPU time alone
 * doubles when other processes share the caches and cores; this does not. The best of three measurements, or the first
 * below `enough`.
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

/** CPU time of the loop, which stands for `reference` milliseconds. */
function loopMs(): number {
  const started = cpuMs();
  let sum = 0;
  for (let at = 0; at < reference * roundsPerMs; at++) sum = (Math.imul(sum, 31) + at) | 0;
  return Math.max(cpuMs() - started, sum === 1 ? 2 : 1);
}
