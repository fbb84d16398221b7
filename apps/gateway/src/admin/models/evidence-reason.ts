import type { RateInterval } from '@callsmith/evaluate';

/** How often a class was found, and since when. */
export interface ClassFound {
  readonly class: string;
  readonly count: number;
  readonly since: Date;
}

/** Why a switch makes sense, in brief: `24 % of 212 calls, InvalidJson, since 14:05 UTC`. */
export function reasonFor(malformed: RateInterval | null, most: ClassFound | undefined): string {
  if (!malformed) return 'no calls in this period';
  const calls = malformed.n === 1 ? '1 call' : `${malformed.n} calls`;
  if (malformed.value === 0 || !most) return `none of ${calls} malformed`;
  return `${percent(malformed.value)} of ${calls}, ${most.class}, since ${most.since.toISOString().slice(11, 16)} UTC`;
}

const percent = (share: number): string => (share < 0.01 ? 'under 1 %' : `${Math.round(share * 100)} %`);
