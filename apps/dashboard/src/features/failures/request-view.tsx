import type { TurnDetail } from '@callsmith/contracts';
import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { formatMoment, plural } from '../../lib/format.ts';
import { remember } from '../../lib/recent.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Copy } from '../../ui/copy-field.tsx';
import { badgeOf, OutcomeBadge } from '../../ui/outcome.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { CallTable } from './call-table.tsx';
import { ComparePanel, firstComparison } from './compare/compare-panel.tsx';
import { ConversationPanel } from './conversation/conversation-panel.tsx';
import { CopyAs } from './copy-as.tsx';
import { Delivered } from './delivered.tsx';
import { Findings } from './findings.tsx';
import { Lane } from './lane.tsx';
import { Lanes } from './lanes.tsx';
import { turnQuery } from './queries.ts';
import { recordedDialect } from './replay/queries.ts';
import { ReparseOne } from './replay/reparse-one.tsx';
import { SettingsInEffect } from './settings-in-effect.tsx';
import { Timing } from './timing.tsx';

const RunAgain = lazy(async () => ({ default: (await import('../playground/run-again.tsx')).RunAgain }));

/** One recorded request: the model output beside the response to the client, why, and how long it took. */
export function RequestView({ id, pane = false }: { id: string; pane?: boolean }) {
  const detail = useQuery(turnQuery(id));
  if (detail.isPending) return <LoadingRows rows={10} />;
  if (detail.isLoadingError) return <Problem error={detail.error} onRetry={() => void detail.refetch()} />;
  return <Request detail={detail.data} pane={pane} />;
}

function Request({ detail, pane }: { detail: TurnDetail; pane: boolean }) {
  const { turn, body } = detail;
  useEffect(
    () =>
      remember({ to: `/failures/${encodeURIComponent(turn.id)}`, label: `${turn.model}, ${formatMoment(turn.at)}` }),
    [turn.id, turn.model, turn.at],
  );
  const notes = body?.notes ?? [];
  const address = useAddress();
  const me = useMe();
  const again = address.get('again');
  return (
    <Stack gap="md">
      <Head detail={detail} pane={pane} />
      {turn.errorMessage && (
        <Alert
          color="red"
          variant="light"
          title={`${turn.status} ${turn.errorCode ?? ''}${turn.errorOrigin ? `, from the ${turn.errorOrigin}` : ''}`}
        >
          <span style={{ overflowWrap: 'anywhere' }}>{turn.errorMessage}</span>
        </Alert>
      )}
      {address.get('thread') && turn.conversation && <ConversationPanel turn={turn} conversation={turn.conversation} />}
      {body ? (
        <>
          {notes.length > 0 && <Findings notes={notes} />}
          {again && <ReparseOne turn={turn} dialect={again} showDelivered={wouldGet} />}
          {address.get('rerun') && hasRole(me, 'admin') && body.clientRequest !== null && (
            <Suspense fallback={<LoadingRows rows={2} />}>
              <RunAgain key={turn.id} turn={turn} clientRequest={body.clientRequest} />
            </Suspense>
          )}
          {address.get('compare') && <ComparePanel id={turn.id} body={body} />}
          <Lanes key={turn.id} body={body} />
        </>
      ) : (
        <Alert color="gray" variant="light" title="Message content not available">
          {detail.bodyMissing ?? 'It was not stored.'}
        </Alert>
      )}
      {detail.callList.length > 0 && <CallTable calls={detail.callList} />}
      <Timing detail={detail} />
      {body && <SettingsInEffect settings={body.settings} />}
    </Stack>
  );
}

const wouldGet = (delivered: unknown) => (
  <Lane title="Response to client, re-parsed" copy={JSON.stringify(delivered, null, 2)}>
    <Delivered value={delivered} />
  </Lane>
);

function Head({ detail, pane }: { detail: TurnDetail; pane: boolean }) {
  const { turn, body } = detail;
  const address = useAddress();
  const me = useMe();
  const facts = [
    turn.fallbackModel && `answered by ${turn.fallbackModel}, its fallback`,
    turn.client,
    turn.key && `key of ${turn.key}`,
    turn.team && `team ${turn.team}`,
    turn.upstream && `upstream ${turn.upstream}`,
    turn.engineVersion,
    turn.route,
  ];
  return (
    <div>
      <Group justify="space-between" align="flex-start" gap="xs">
        <Group gap={8}>
          <Title order={pane ? 2 : 1} style={{ overflowWrap: 'anywhere' }}>
            {turn.model}
          </Title>
          <OutcomeBadge outcome={badgeOf(turn)} />
          {turn.strategyUsed && (
            <Tag kind="accent">
              {turn.strategyUsed}
              {turn.dialect && turn.dialect !== 'auto' && `, ${turn.dialect}`}
            </Tag>
          )}
        </Group>
        <Group gap="xs">
          {body && hasRole(me, 'editor') && !address.get('again') && (
            <Button size="xs" variant="default" onClick={() => address.set({ again: recordedDialect })}>
              Re-parse…
            </Button>
          )}
          {body?.clientRequest && hasRole(me, 'admin') && !address.get('rerun') && (
            <Button size="xs" variant="default" onClick={() => address.set({ rerun: 'yes' })}>
              Run again…
            </Button>
          )}
          {body && !address.get('compare') && (
            <Button size="xs" variant="default" onClick={() => address.set({ compare: firstComparison })}>
              Compare…
            </Button>
          )}
          {turn.conversation && !address.get('thread') && (
            <Button size="xs" variant="default" onClick={() => address.set({ thread: 'yes' })}>
              Conversation…
            </Button>
          )}
          {body && <CopyAs detail={detail} body={body} />}
          {turn.modelId && (
            <Button
              size="xs"
              variant="light"
              component={Link}
              to={linkTo(`/models/${encodeURIComponent(turn.modelId)}`, {
                to: turn.strategyUsed === 'native' ? 'prompt' : 'native',
              })}
            >
              {hasRole(me, 'admin') ? 'Change strategy…' : 'Compare strategies'}
            </Button>
          )}
        </Group>
      </Group>
      <Text fz="sm" c="dimmed" component="div" mt={2} style={{ overflowWrap: 'anywhere' }}>
        <Timestamp at={turn.at} withUtc /> · {facts.filter(Boolean).join(' · ')} ·{' '}
        {turn.streamed ? 'streamed' : 'not streamed'} · {plural(turn.toolsOffered, 'tool')} offered
      </Text>
      <Group gap={4} fz="xs" c="dimmed">
        <span className="mono">{turn.id}</span>
        <Copy value={turn.id} label="ID" />
        <span>
          request ID <span className="mono">{turn.requestId}</span>
        </span>
        {turn.conversation && (
          <Anchor
            component={Link}
            to={linkTo('/transcripts', { range: '30d', conversation: turn.conversation })}
            inherit
          >
            Whole conversation
          </Anchor>
        )}
        {pane && (
          <Anchor component={Link} to={`/failures/${encodeURIComponent(turn.id)}`} inherit>
            Open full page
          </Anchor>
        )}
      </Group>
    </div>
  );
}
