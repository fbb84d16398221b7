import { mostColumns, type PlaygroundColumn } from '@callsmith/contracts';
import { Button, CloseButton, Group, Stack, Text } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { IconPlayerPlay, IconPlayerStop, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAddress } from '../../lib/address.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, LoadingRows, NoPermission, Problem } from '../../ui/states.tsx';
import type { DeliveredChoice } from '../failures/delivered.tsx';
import { modelsQuery } from '../models/queries.ts';
import { ColumnAnswer } from './column-answer.tsx';
import { ColumnFields, type ColumnModel } from './column-fields.tsx';
import { columnsIn, columnsText } from './columns-address.ts';
import { continueDraft, type Draft, parseDraft, requestOf } from './draft.ts';
import css from './playground.module.css';
import { MessageFields, ToolsField } from './request-fields.tsx';
import { testCaseOf } from './test-case.ts';
import { toolTemplates } from './tool-templates.ts';
import { type Run, useRun } from './use-run.ts';

/** One request through several models and strategies side by side. */
export function PlaygroundPage() {
  const allowed = hasRole(useMe(), 'admin');
  const models = useQuery({ ...modelsQuery, refetchInterval: false, enabled: allowed });
  const items = models.data?.items;
  return (
    <Page
      title="Playground"
      subtitle={
        allowed &&
        'Sends one request through up to four models and strategies side by side. No tools are run, and nothing is recorded or counted.'
      }
    >
      {!allowed && <NoPermission />}
      {allowed && models.isPending && <LoadingRows />}
      {models.isLoadingError && <Problem error={models.error} onRetry={() => void models.refetch()} />}
      {items?.length === 0 && <Empty title="No models yet">Add an upstream with models first.</Empty>}
      {items && items.length > 0 && <Playground models={items} />}
    </Page>
  );
}

const firstDraft: Draft = {
  messages: [
    { key: 0, role: 'system', content: 'You are a coding assistant. Use the tools.' },
    { key: 1, role: 'user', content: 'Read the file package.json.' },
  ],
  tools: JSON.stringify(toolTemplates.Cline, null, 2),
};

function Playground({ models }: { models: readonly ColumnModel[] }) {
  const address = useAddress();
  const [draft, setDraft] = useSessionStorage({
    key: `callsmith-playground-${useMe().user.id}`,
    defaultValue: firstDraft,
    deserialize: (text) => parseDraft(text) ?? firstDraft,
    getInitialValueInEffect: false,
  });
  const [wrong, setWrong] = useState<{ field: string; message: string }>();
  const { run, start, stop } = useRun();
  const requestedColumns = columnsIn(address.get('columns') ?? '').filter(({ model }) =>
    models.some(({ id }) => id === model),
  );
  const columns = requestedColumns.length > 0 ? requestedColumns : bothWays(models);
  const change = (now: readonly PlaygroundColumn[]) => address.set({ columns: columnsText(now) });
  const running = run?.state === 'running';
  const send = () => {
    const result = requestOf(draft);
    setWrong('field' in result ? result : undefined);
    if ('request' in result) void start({ columns, request: result.request });
  };
  const errorOf = (field: string) => (wrong?.field === field ? wrong.message : undefined);
  return (
    <Stack gap="md">
      <Card
        title="Columns"
        aside={
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden="true" />}
            disabled={columns.length === mostColumns}
            onClick={() => change([...columns, columns.at(-1) as PlaygroundColumn])}
          >
            Add column
          </Button>
        }
      >
        <div className={css.columns}>
          {columns.map((column, n) => (
            // Columns differ only by their position.
            <div key={String(n)} className={css.column}>
              <Group justify="space-between" wrap="nowrap">
                <Text fz="sm" fw={600}>
                  Column {n + 1}
                </Text>
                <CloseButton
                  aria-label={`Remove column ${n + 1}`}
                  disabled={columns.length === 1}
                  onClick={() => change(columns.filter((_, at) => at !== n))}
                />
              </Group>
              <ColumnFields
                value={column}
                models={models}
                name={`column ${n + 1}`}
                onChange={(now) => change(columns.map((one, at) => (at === n ? now : one)))}
              />
            </div>
          ))}
        </div>
      </Card>
      <MessageFields draft={draft} error={errorOf('messages')} onChange={setDraft} />
      <ToolsField draft={draft} error={errorOf('tools')} onChange={setDraft} />
      <Group>
        {/* One button, so that the keyboard’s focus stays. */}
        <Button
          variant={running ? 'light' : 'filled'}
          leftSection={
            running ? <IconPlayerStop size={16} aria-hidden="true" /> : <IconPlayerPlay size={16} aria-hidden="true" />
          }
          onClick={running ? stop : send}
        >
          {running ? 'Stop' : 'Send'}
        </Button>
      </Group>
      {run?.error !== undefined && <Problem error={run.error} />}
      {run && run.error === undefined && (
        <Answers run={run} models={models} onContinue={(answer) => setDraft(continueDraft(draft, answer))} />
      )}
    </Stack>
  );
}

function Answers({
  run: { input, columns, state },
  models,
  onContinue,
}: {
  run: Run;
  models: readonly ColumnModel[];
  onContinue: (answer: DeliveredChoice) => void;
}) {
  const request = 'request' in input ? input.request : {};
  // Once for all columns: this is drawn again with every event.
  const requestText = JSON.stringify(request);
  return (
    <div className={css.answers}>
      {columns.map((output, n) => {
        const { model: id, strategy } = input.columns[n] as PlaygroundColumn;
        const model = models.find((one) => one.id === id) ?? { id, name: id };
        return (
          <ColumnAnswer
            key={String(n)}
            title={`${n + 1}: ${model.name}, ${strategy}`}
            output={output}
            state={state}
            testCase={testCaseOf(output, { model: model.name, request: requestText })}
            probeCase={'tools' in request ? { model, request } : undefined}
            onContinue={onContinue}
          />
        );
      })}
    </div>
  );
}

/** Where nothing is chosen yet: the first model by both strategies. */
const bothWays = ([first]: readonly ColumnModel[]): PlaygroundColumn[] =>
  first ? (['native', 'prompt'] as const).map((strategy) => ({ model: first.id, strategy })) : [];
