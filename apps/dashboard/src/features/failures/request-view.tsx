import type { TurnDetail } from '@callsmith/contracts';
import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { useAddress } from '../../lib/address.ts';
import { formatMoment } from '../../lib/format.ts';
import { remember } from '../../lib/recent.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { CallTable } from './call-table.tsx';
import { ComparePanel } from './compare/compare-panel.tsx';
import { ConversationPanel } from './conversation/conversation-panel.tsx';
import { Delivered } from './delivered.tsx';
import { Findings } from './findings.tsx';
import { Lane } from './lane.tsx';
import { Lanes } from './lanes.tsx';
import { turnQuery } from './queries.ts';
import { ReparseOne } from './replay/reparse-one.tsx';
import { RequestHead } from './request-head.tsx';
import { requestName } from './request-name.ts';
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
  const name = requestName(turn);
  useEffect(
    () => remember({ to: `/failures/${encodeURIComponent(turn.id)}`, label: `${name}, ${formatMoment(turn.at)}` }),
    [turn.id, name, turn.at],
  );
  const notes = body?.notes ?? [];
  const address = useAddress();
  const me = useMe();
  const again = address.get('again');
  return (
    <Stack gap="md">
      <RequestHead detail={detail} pane={pane} />
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
