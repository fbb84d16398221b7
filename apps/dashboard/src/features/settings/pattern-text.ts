import type { Pattern } from '@callsmith/contracts';
import { formatCount } from '../../lib/format.ts';

type Follows = Pattern['follows'];

/** What may follow the beginning of a pattern, to choose from. */
export const followsNames: Readonly<Record<Follows, string>> = {
  nothing: 'nothing: only the prefix is masked',
  digits: 'digits',
  hex: 'hexadecimal digits',
  'letters-digits': 'letters and digits',
  token: 'letters, digits, - and _',
  visible: 'anything up to a space or a quote',
};

/** What follows the beginning of a pattern, e.g. `, then 6 or more digits`; empty where nothing does. */
export function followsText({ follows, atLeast }: Pick<Pattern, 'follows' | 'atLeast'>): string {
  if (follows === 'nothing') return '';
  const kind = follows === 'visible' ? 'characters up to a space or a quote' : followsNames[follows];
  return `, then ${formatCount(atLeast)} or more ${kind}`;
}
