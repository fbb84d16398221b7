import type { TurnDetail } from '@callsmith/contracts';
import { Button, Group } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { firstComparison } from './compare/compare-panel.tsx';
import { CopyAs } from './copy-as.tsx';
import { recordedDialect } from './replay/queries.ts';

/** What can be done with a request: the buttons open its panels, which are in the address. */
export function RequestActions({ detail }: { detail: TurnDetail }) {
  const { turn, body } = detail;
  const me = useMe();
  return (
    <Group gap="xs">
      {body && hasRole(me, 'editor') && <Opens panel="again" as={recordedDialect} label="Re-parse…" />}
      {body?.clientRequest && hasRole(me, 'admin') && <Opens panel="rerun" as="yes" label="Run again…" />}
      {body && <Opens panel="compare" as={firstComparison} label="Compare…" />}
      {turn.conversation && <Opens panel="thread" as="yes" label="Conversation…" />}
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
  );
}

/** Opens a panel, unless it is open. */
function Opens({ panel, as, label }: { panel: 'again' | 'rerun' | 'compare' | 'thread'; as: string; label: string }) {
  const address = useAddress();
  if (address.get(panel)) return null;
  return (
    <Button size="xs" variant="default" onClick={() => address.set({ [panel]: as })}>
      {label}
    </Button>
  );
}
