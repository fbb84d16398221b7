import type { TurnDetail } from '@callsmith/contracts';
import { Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { plural } from '../../lib/format.ts';
import { Copy } from '../../ui/copy-field.tsx';
import { badgeOf, OutcomeBadge } from '../../ui/outcome.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { RequestActions } from './request-actions.tsx';
import { requestName } from './request-name.ts';

type Turn = TurnDetail['turn'];

/** What a request was: model, outcome, when and for whom, its IDs, and what can be done with it. */
export const RequestHead = ({ detail, pane }: { detail: TurnDetail; pane: boolean }) => (
  <div>
    <Group justify="space-between" align="flex-start" gap="xs">
      <Name of={detail.turn} pane={pane} />
      <RequestActions detail={detail} />
    </Group>
    <Origin of={detail.turn} />
    <Ids of={detail.turn} pane={pane} />
  </div>
);

const Name = ({ of: turn, pane }: { of: Turn; pane: boolean }) => (
  <Group gap={8}>
    <Title order={pane ? 2 : 1} style={{ overflowWrap: 'anywhere' }}>
      {requestName(turn)}
    </Title>
    <OutcomeBadge outcome={badgeOf(turn)} />
    {turn.strategyUsed && (
      <Tag kind="accent">
        {turn.strategyUsed}
        {turn.dialect && turn.dialect !== 'auto' && `, ${turn.dialect}`}
      </Tag>
    )}
  </Group>
);

function Origin({ of: turn }: { of: Turn }) {
  const facts = [
    turn.fallbackModel && `answered by ${turn.fallbackModel}, its fallback`,
    turn.client,
    turn.key && `key of ${turn.key}`,
    turn.team && `team ${turn.team}`,
    turn.upstream && `upstream ${turn.upstream}`,
    turn.engineVersion,
    turn.route,
    turn.streamed ? 'streamed' : 'not streamed',
    // Unknown of a request that was refused before its tools were read.
    (turn.toolsOffered > 0 || turn.strategyUsed) && `${plural(turn.toolsOffered, 'tool')} offered`,
  ];
  return (
    <Text fz="sm" c="dimmed" component="div" mt={2} style={{ overflowWrap: 'anywhere' }}>
      <Timestamp at={turn.at} withUtc /> · {facts.filter(Boolean).join(' · ')}
    </Text>
  );
}

const Ids = ({ of: turn, pane }: { of: Turn; pane: boolean }) => (
  <Group gap={4} fz="xs" c="dimmed">
    <span className="mono">{turn.id}</span>
    <Copy value={turn.id} label="ID" />
    <span>
      request ID <span className="mono">{turn.requestId}</span>
    </span>
    {turn.conversation && (
      <Anchor component={Link} to={linkTo('/transcripts', { range: '30d', conversation: turn.conversation })} inherit>
        Whole conversation
      </Anchor>
    )}
    {pane && (
      <Anchor component={Link} to={`/failures/${encodeURIComponent(turn.id)}`} inherit>
        Open full page
      </Anchor>
    )}
  </Group>
);
