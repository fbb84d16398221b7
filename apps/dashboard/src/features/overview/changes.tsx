import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Card } from '../../ui/card.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import type { Overview } from './queries.ts';

/** The newest strategy changes. */
export const Changes = ({ data }: { data: Overview }) => (
  <Card title="Recent strategy changes">
    {data.changes.length === 0 ? (
      <Text c="dimmed">No strategy changes yet.</Text>
    ) : (
      <Stack gap="sm">
        {data.changes.slice(0, 6).map((change) => (
          <div key={change.id}>
            <Text fz="sm">
              <Anchor component={Link} to={`/models/${encodeURIComponent(change.modelId)}`} inherit>
                {change.model}
              </Anchor>
              : {change.fromStrategy} to <b>{change.toStrategy}</b>
              {change.toDialect && change.toDialect !== change.fromDialect && ` (${change.toDialect})`}
            </Text>
            <Text fz="xs" c="dimmed" component="div">
              {change.actor}, <RelativeTime at={change.at} />
              {change.reason && ` · ${change.reason}`}
            </Text>
          </div>
        ))}
      </Stack>
    )}
  </Card>
);
