import type { TurnRow } from '@callsmith/contracts';
import { Box, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../../lib/address.ts';
import { Card } from '../../../ui/card.tsx';
import { LoadingRows, Problem } from '../../../ui/states.tsx';
import { DialectSelect } from './dialect-select.tsx';
import { turnReplay } from './queries.ts';
import { ReplayTable } from './replay-table.tsx';

/** The stored model output of one request, parsed by the current parser in a dialect of choice, which is in the URL. */
export function ReparseOne({
  turn,
  dialect,
  showDelivered,
}: {
  turn: TurnRow;
  dialect: string;
  showDelivered: (delivered: unknown) => ReactNode;
}) {
  const address = useAddress();
  const replay = useQuery(turnReplay(turn.id, dialect));
  const { data } = replay;
  return (
    <Card
      title="Re-parse"
      subtitle="The stored model output, parsed by the current parser. No model is called."
      flush={data !== undefined}
      aside={
        <>
          <DialectSelect value={dialect} then={turn.dialect} onChange={(again) => address.set({ again })} />
          <Button size="xs" variant="default" onClick={() => address.set({ again: null })}>
            Close
          </Button>
        </>
      }
    >
      {replay.isPending && <LoadingRows rows={3} />}
      {replay.isLoadingError && <Problem error={replay.error} onRetry={() => void replay.refetch()} />}
      {data && (
        <Stack gap="sm">
          <ReplayTable rows={data.rows} />
          {data.delivered !== null && (
            <Box px="md" pb="md">
              {showDelivered(data.delivered)}
            </Box>
          )}
        </Stack>
      )}
    </Card>
  );
}
