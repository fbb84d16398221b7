import type { GroupWork } from '@callsmith/contracts';
import { formatMoment } from '../../../lib/format.ts';

/** The state of a group of failures in words, e.g. `Muted until 22 Nov, 14:05`. */
export function stateText({ state, mutedUntil }: Pick<GroupWork, 'state' | 'mutedUntil'>): string {
  switch (state) {
    case 'open':
      return 'Open';
    case 'regressed':
      return 'Failed again after resolve';
    case 'resolved':
      return 'Resolved';
    case 'muted':
      return mutedUntil === null ? 'Muted' : `Muted until ${formatMoment(mutedUntil)}`;
  }
}
