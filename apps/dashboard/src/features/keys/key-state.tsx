import type { Key } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import { formatCompact, formatCount, formatMoney, plural } from '../../lib/format.ts';
import { useMe } from '../../lib/session.ts';
import { RelativeTime } from '../../ui/timestamp.tsx';

/** Whether a key is taken, and until when. */
export function KeyState({ of: key }: { of: Key }) {
  if (key.revokedAt)
    return (
      <Text c="dimmed" component="div">
        Revoked <RelativeTime at={key.revokedAt} />
      </Text>
    );
  if (!key.expiresAt) return 'Active';
  if (Date.parse(key.expiresAt) < Date.now()) return <Text c="dimmed">Expired</Text>;
  return (
    <>
      Active, expires <RelativeTime at={key.expiresAt} />
    </>
  );
}

/** What a key may use, and how much of it. */
export function KeyLimits({ of: key }: { of: Key }) {
  const { currency } = useMe().installation;
  const limits = [
    key.allowedModels && plural(key.allowedModels.length, 'model'),
    key.requestsPerMinute && `${formatCount(key.requestsPerMinute)} requests/min`,
    key.tokensPerMinute && `${formatCompact(key.tokensPerMinute)} tokens/min`,
    key.concurrentStreams && `${formatCount(key.concurrentStreams)} concurrent`,
    key.tokenBudget && `${formatCompact(key.tokenBudget)} tokens/${key.budgetPeriod ?? 'total'}`,
    key.spendBudget && `${formatMoney(key.spendBudget, currency)}/${key.budgetPeriod ?? 'total'}`,
  ].filter(Boolean);
  return limits.length > 0 ? limits.join(' · ') : <Text c="dimmed">none</Text>;
}
