import { ApiError, type Model } from '@callsmith/contracts';
import { Anchor, Grid, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { periodOf } from '../../lib/period.ts';
import { remember } from '../../lib/recent.ts';
import { BackTo } from '../../ui/back-to.tsx';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { StrategyChip } from '../../ui/strategy-chip.tsx';
import { Tag } from '../../ui/tag.tsx';
import { BreakdownPanel } from './breakdown-panel.tsx';
import { BudgetPanel } from './budget-panel.tsx';
import { Changes } from './changes.tsx';
import { ExperimentPanel } from './experiment-panel.tsx';
import { Learned } from './learned.tsx';
import { ProbePanel } from './probe-panel.tsx';
import { modelQuery } from './queries.ts';
import { Settings } from './settings.tsx';
import { StrategyPanel } from './strategy-panel.tsx';

/** One model: its strategy, its settings, what was learned about it, what was changed. */
export function ModelPage() {
  const { id = '' } = useParams();
  const model = useQuery(modelQuery(id));
  const period = periodOf(useAddress().params);
  const name = model.data?.name;
  useEffect(() => {
    if (name) remember({ to: `/models/${encodeURIComponent(id)}`, label: name });
  }, [id, name]);
  if (!model.data)
    return (
      <Page title="Model" before={<BackTo to="/models" name="Models" />}>
        {isRemoved(model.error, id) ? (
          <Removed id={id} />
        ) : model.isError ? (
          <Problem error={model.error} onRetry={() => void model.refetch()} />
        ) : (
          <LoadingRows rows={10} />
        )}
      </Page>
    );
  return (
    <Page
      title={model.data.name}
      before={<BackTo to="/models" name="Models" />}
      subtitle={<InEffect model={model.data} />}
      actions={
        <>
          <Anchor component={Link} to={linkTo('/', { model: model.data.name })} fz="sm">
            Charts
          </Anchor>
          <Anchor component={Link} to={linkTo('/failures', { model: model.data.name })} fz="sm">
            Failures
          </Anchor>
          <RangePicker period={period} />
        </>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            <StrategyPanel key={model.data.id} model={model.data} period={period} />
            <ProbePanel model={model.data} />
            <ExperimentPanel model={model.data} />
            <Changes id={model.data.id} />
            <BreakdownPanel model={model.data} period={period} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            <Settings model={model.data} />
            <BudgetPanel model={model.data} period={period} />
            <Learned model={model.data} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** Its history is found by its id. */
const isRemoved = (error: unknown, id: string) =>
  error instanceof ApiError && error.status === 404 && id.startsWith('model_');

const Removed = ({ id }: { id: string }) => (
  <Empty
    title="This model is no longer available"
    action={
      <Group>
        <Anchor component={Link} to={linkTo('/', { model: id, range: '30d' })}>
          Charts
        </Anchor>
        <Anchor component={Link} to={linkTo('/failures', { model: id, range: '30d' })}>
          Failures
        </Anchor>
        <Anchor component={Link} to={linkTo('/transcripts', { model: id, range: '30d' })}>
          Transcripts
        </Anchor>
      </Group>
    }
  >
    It was removed. Its recorded requests stay until the retention period ends.
  </Empty>
);

const InEffect = ({ model }: { model: Model }) => (
  <Group gap={8} mt={4}>
    <StrategyChip set={model.strategy.value} used={model.inEffect.strategyUsed} />
    {model.demo && <Tag kind="quiet">demo</Tag>}
    {model.managedBy === 'file' && <ManagedTag />}
    <Text fz="sm" c="dimmed">
      {model.inEffect.why}
    </Text>
  </Group>
);
