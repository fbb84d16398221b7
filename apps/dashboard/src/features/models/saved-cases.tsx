import type { Model, SavedCase } from '@callsmith/contracts';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Folded } from '../../ui/folded.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { TextBlock } from '../../ui/text-block.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { columnsText } from '../playground/columns-address.ts';
import { savedCasesQuery } from './queries.ts';

const Confirm = lazy(async () => ({ default: (await import('../../ui/confirm.tsx')).Confirm }));

/** The cases that were saved for a model: its probes send them besides the built-in ones. */
export function SavedCases({ model }: { model: Model }) {
  const [opened, setOpened] = useState(false);
  const cases = useQuery({ ...savedCasesQuery(model.id), enabled: opened });
  const queryClient = useQueryClient();
  const [deleted, setDeleted] = useState<SavedCase>();
  const isAdmin = hasRole(useMe(), 'admin');
  const items = cases.data?.items;
  return (
    <Folded title="Saved cases" refused={false} onOpen={() => setOpened(true)}>
      <Stack gap="sm">
        {cases.isLoading && <LoadingRows rows={2} />}
        {cases.isLoadingError && <Problem error={cases.error} onRetry={() => void cases.refetch()} />}
        {items?.map((one) => (
          <Case key={one.id} saved={one} onDelete={isAdmin ? () => setDeleted(one) : undefined} />
        ))}
        {items && (
          <Text fz="sm" c="dimmed">
            {items.length === 0 && 'None yet. '}
            {isAdmin ? (
              <>
                To add one, send a request in the{' '}
                <Anchor
                  component={Link}
                  to={linkTo('/playground', {
                    columns: columnsText([{ model: model.id, strategy: model.inEffect.strategyUsed }]),
                  })}
                >
                  playground
                </Anchor>{' '}
                and choose <b>Save as probe case…</b> below the response.
              </>
            ) : (
              'Admins add them in the playground.'
            )}
          </Text>
        )}
      </Stack>
      {deleted && (
        <Suspense>
          <Confirm
            title={`Delete the case ${deleted.title}?`}
            action="Delete"
            danger
            onConfirm={async () => {
              await client.probes.deleteCase({ params: { id: deleted.id } });
              await queryClient.invalidateQueries({ queryKey: savedCasesQuery(model.id).queryKey });
            }}
            onClose={() => setDeleted(undefined)}
          >
            Probes no longer send it. The results of past probes stay.
          </Confirm>
        </Suspense>
      )}
    </Folded>
  );
}

function Case({ saved, onDelete }: { saved: SavedCase; onDelete: (() => void) | undefined }) {
  const { title, at, request, expects } = saved;
  const [open, setOpen] = useState(false);
  return (
    <div>
      <Group gap={6} justify="space-between" wrap="nowrap" align="flex-start">
        <Text style={{ overflowWrap: 'anywhere' }}>
          {title}{' '}
          <Text span fz="xs" c="dimmed">
            saved <RelativeTime at={at} />
          </Text>
        </Text>
        {onDelete && (
          <Button
            size="compact-xs"
            flex="none"
            variant="subtle"
            color="gray"
            aria-label={`Delete: ${title}`}
            onClick={onDelete}
          >
            Delete
          </Button>
        )}
      </Group>
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
        Right: {rightAnswer(expects)}
      </Text>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Request</summary>
        {open && <TextBlock name={`Request of ${title}`} text={JSON.stringify(request, null, 2)} height={240} />}
      </details>
    </div>
  );
}

function rightAnswer(expects: SavedCase['expects']): string {
  switch (expects.kind) {
    case 'calls':
      return expects.calls.map((call) => `${call.name}(${JSON.stringify(call.arguments)})`).join(', ');
    case 'tools':
      return `valid calls of ${expects.names.join(', ')}`;
    case 'text':
      return expects.holds.length === 0 ? 'no call' : `no call; the text contains ${expects.holds.join(', ')}`;
  }
}
