import { IconAlertHexagon, IconCheck, IconMinus, IconTool, IconX } from '@tabler/icons-react';
import type { Outcome } from '../lib/outcomes.ts';
import css from './outcome.module.css';

const icons = { clean: IconCheck, repaired: IconTool, failed: IconX, none: IconMinus, error: IconAlertHexagon };
const words = { clean: 'clean', repaired: 'repaired', failed: 'failed', none: 'no call', error: 'error' };

/** An outcome by icon, word and colour; `error` where the turn failed before any call. */
export function OutcomeBadge({ outcome, say }: { outcome: Outcome | 'error'; say?: string }) {
  const Icon = icons[outcome];
  return (
    <span className={`${css.badge} ${css[outcome]}`}>
      <Icon size={13} stroke={2.2} aria-hidden="true" />
      {say ?? words[outcome]}
    </span>
  );
}
