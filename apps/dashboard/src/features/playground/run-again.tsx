import type { PlaygroundColumn, TurnRow } from '@callsmith/contracts';
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAddress } from '../../lib/address.ts';
import { Card } from '../../ui/card.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { modelsQuery } from '../models/queries.ts';
import { ColumnAnswer } from './column-answer.tsx';
import { ColumnFields } from './column-fields.tsx';
import { testCaseOf } from './test-case.ts';
import { useRun } from './use-run.ts';

/** Sends a recorded request again through a chosen model and strategy; nothing is recorded. */
export function RunAgain({ turn, clientRequest }: { turn: TurnRow; clientRequest: string }) {
  const address = useAddress();
  const models = useQuery({ ...modelsQuery, refetchInterval: false });
  const [chosen, choose] = useState<PlaygroundColumn>();
  const { run, start, stop } = useRun();
  const items = models.data?.items ?? [];
  const first = items.find(({ id }) => id === turn.modelId) ?? items[0];
  const column = chosen ?? (first && { model: first.id, strategy: otherThan(turn.strategyUsed) });
  const running = run?.state === 'running';
  const [shown] = run?.columns ?? [];
  const ran = items.find(({ id }) => id === run?.input.columns[0]?.model)?.name ?? '';
  return (
    <Card
      title="Run again"
      subtitle="Sends the stored request to a model again and shows the response only to you. Secrets in the request are masked. No tools are run, and nothing is recorded or counted."
      aside={
        <Button size="xs" variant="default" onClick={() => address.set({ rerun: null })}>
          Close
        </Button>
      }
    >
      {models.isPending && <LoadingRows rows={2} />}
      {models.isLoadingError && <Problem error={models.error} onRetry={() => void models.refetch()} />}
      {column && (
        <Stack gap="sm">
          <Group gap="xs" align="flex-end">
            <ColumnFields value={column} models={items} onChange={choose} />
            <Button size="xs" onClick={() => (running ? stop() : void start({ columns: [column], turn: turn.id }))}>
              {running ? 'Stop' : 'Run'}
            </Button>
          </Group>
          {run?.error !== undefined && <Problem error={run.error} />}
          {run && shown && run.error === undefined && (
            <ColumnAnswer
              title={`Response of ${ran}`}
              output={shown}
              state={run.state}
              testCase={testCaseOf(shown, { model: ran, request: clientRequest })}
            />
          )}
        </Stack>
      )}
    </Card>
  );
}

const otherThan = (used: TurnRow['strategyUsed']): PlaygroundColumn['strategy'] =>
  used === 'native' ? 'prompt' : 'native';
