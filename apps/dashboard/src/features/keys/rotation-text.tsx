import type { Key } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import { useNow } from '../../lib/now.ts';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { rotationDays, rotationOf } from './rotation.ts';

/** When a key is to be rotated, and why then. */
export function RotationText({ of: key }: { of: Key }) {
  const rotation = rotationOf(key, useNow(60_000));
  if (!rotation) return <Text c="dimmed">–</Text>;
  const reason = rotation.because === 'expiry' ? 'as it expires' : `at ${rotationDays} days of age`;
  return (
    <Text component="span" inherit {...(rotation.state !== 'later' && { c: 'var(--failed-text)', fw: 550 })}>
      {rotation.state === 'due' ? 'was due ' : 'due '}
      <RelativeTime at={rotation.at} />, {reason}
    </Text>
  );
}

/** The same in a list: only where it is due or soon will be. */
export function RotationNotice({ of: key }: { of: Key }) {
  const state = rotationOf(key, useNow(60_000))?.state;
  if (state === undefined || state === 'later') return null;
  return (
    <Text fz="xs" component="div">
      Rotation <RotationText of={key} />
    </Text>
  );
}
