import type { ParseResult as Parsed } from '@callsmith/contracts';
import { Group, Text } from '@mantine/core';
import { badgeOf, OutcomeBadge } from '../../../ui/outcome.tsx';

/** How an answer was read: outcome, why, and its calls. */
export const ParseResult = ({ of: { outcome, errorCode, classes, calls } }: { of: Parsed }) => (
  <>
    <Group gap="2px 8px">
      <OutcomeBadge outcome={badgeOf({ outcome, errorCode })} />
      <Text span fz="xs" style={{ overflowWrap: 'anywhere' }}>
        {[...classes, ...(errorCode ? [errorCode] : [])].join(', ')}
      </Text>
    </Group>
    {calls.map((call, n) => (
      <Text key={String(n)} fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <span className="mono">{call.tool || '(no name)'}</span> {call.outcome}
        {call.rules.length > 0 && `: ${call.rules.join(', ')}`}
      </Text>
    ))}
  </>
);

/** What differs between two readings, in words. */
export const Differences = ({ of: differences }: { of: readonly string[] }) =>
  differences.length === 0 ? (
    <Text fz="sm" c="dimmed">
      no differences
    </Text>
  ) : (
    <ul style={{ margin: 0, paddingLeft: 16, overflowWrap: 'anywhere' }}>
      {differences.map((difference) => (
        <li key={difference}>{difference}</li>
      ))}
    </ul>
  );
