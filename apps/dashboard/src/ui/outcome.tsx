import {
  IconAlertHexagon,
  IconAlertTriangle,
  IconCheck,
  IconMessage,
  IconMinus,
  IconTool,
  IconX,
} from '@tabler/icons-react';
import type { Outcome } from '../lib/outcomes.ts';
import css from './outcome.module.css';

const icons = {
  clean: IconCheck,
  repaired: IconTool,
  invalid: IconAlertTriangle,
  failed: IconX,
  none: IconMessage,
  IconMinus,
  text: IconMessage,
  error: IconAlertHexagon,
};
const words = {
  clean: 'clean',
  repaired: 'repaired',
  invalid: 'invalid',
  failed: 'failed',
  none: 'no call',
  text: 'no tools',
  error: 'error',
};

type Shown = Outcome | 'text' | 'error';

/** What to show of a request: its outcome; without one, an error, or that no tools were offered. */
export const badgeOf = (turn: { outcome: Outcome | null; errorCode: string | null }): Shown =>
  turn.outcome ?? (turn.errorCode ? 'error' : 'text');

/** An outcome by icon, word and colour. */
export function OutcomeBadge({ outcome }: { outcome: Shown }) {
  const Icon = icons[outcome];
  return (
    <span className={`${css.badge} ${css[outcome]}`}>
      <Icon size={13} stroke={2.2} aria-hidden="true" />
      {words[outcome]}
    </span>
  );
}
