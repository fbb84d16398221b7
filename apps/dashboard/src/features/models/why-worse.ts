import { type StrategyUsed, strategiesUsed } from '@callsmith/turn';
import { formatCount, formatShare } from '../../lib/format.ts';
import type { Evidence } from './queries.ts';

type Side = Pick<Evidence['native'], 'failed' | 'malformed'>;
type Rate = Side['failed'];

/**
 * What speaks against a switch from the strategy in effect, as measured: more of its calls failed, or as many and more
 * were malformed. Null: nothing does, or one of them was measured on too few calls.
 */
export function whyWorse(
  evidence: { readonly [Strategy in StrategyUsed]?: Side },
  inEffect: StrategyUsed,
  to: string,
): string | null {
  // What auto comes to is not known before.
  const next = strategiesUsed.find((strategy) => strategy === to);
  if (next === undefined || next === inEffect) return null;
  for (const [kind, phrase] of [
    ['failed', 'failed'],
    ['malformed', 'were malformed'],
  ] as const) {
    const [other, current] = [evidence[next]?.[kind], evidence[inEffect]?.[kind]];
    if (!other || !current || other.few || current.few) return null;
    if (other.value === current.value) continue;
    if (other.value < current.value) return null;
    return `${rateText(other)} ${phrase} with ${to}, ${rateText(current)} with ${inEffect}. ${
      other.low > current.high ? 'The difference is larger than chance explains.' : 'The difference may be chance.'
    }`;
  }
  return null;
}

const rateText = (rate: NonNullable<Rate>): string => `${formatShare(rate.value)} of ${formatCount(rate.n)} calls`;
