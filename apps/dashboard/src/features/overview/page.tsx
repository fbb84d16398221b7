import { unusable } from '@callsmith/contracts';
import { Anchor, Grid, Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { formatClock, formatCount, formatShare, plural } from '../../lib/format.ts';
import { judged } from '../../lib/outcomes.ts';
import { periodOf, periodQuery, periodText } from '../../lib/period.ts';
import { useMe } from '../../lib/session.ts';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { Changes } from './changes.tsx';
import { Classes } from './classes.tsx';
import { DemoBar } from './demo-bar.tsx';
import { FirstSteps } from './first-steps.tsx';
import { ModelsOverTime } from './models-over-time.tsx';
import { OutcomesOverTime } from './outcomes-over-time.tsx';
import { modelOrderOf, type Overview, type OverviewFilter, overviewQuery } from './queries.ts';
import { Tiles } from './tiles.tsx';

/** Is tool calling healthy now? */
export function OverviewPage() {
  const { installation } = useMe();
  const address = useAddress();
  const filter: OverviewFilter = {
    // A demo is minutes old: its columns would be one in a day.
    period: periodOf(address.params, installation.demoOnly ? '1h' : '24h'),
    models: modelOrderOf(address.get('models')),
    model: address.get('model'),
    client: address.get('client'),
    teamId: address.get('team'),
  };
  const overview = useQuery(overviewQuery(filter));
  const { data } = overview;
  return (
    <Page
      title="Overview"
      subtitle={data && data.totals.turns > 0 && <Summary data={data} filter={filter} />}
      actions={
        <>
          {data && (data.totals.turns > 0 || filter.model) && <ModelFilter data={data} chosen={filter.model} />}
          <RangePicker period={filter.period} />
        </>
      }
    >
      {installation.demo && <DemoBar />}
      {installation.demo && data && data.totals.turns > 0 && (
        <FirstSteps compact untilCalled={!installation.demoOnly} />
      )}
      {data && !installation.demo && data.totals.turns > 0 && data.totals.turns === data.totals.errors && (
        <FirstSteps untilCalled />
      )}
      {overview.isError && !data && <Problem error={overview.error} onRetry={() => void overview.refetch()} />}
      {overview.isPending && <Loading />}
      {data && (data.totals.turns > 0 ? <Charts data={data} filter={filter} /> : <Nothing filter={filter} />)}
    </Page>
  );
}

function Summary({ data, filter: { period, model, client, teamId } }: { data: Overview; filter: OverviewFilter }) {
  const { turns, none, errors } = data.totals;
  const n = judged(data.totals);
  const behind = data.rolledUpTo !== null && Date.parse(data.to) - Date.parse(data.rolledUpTo) > 10 * 60_000;
  return (
    <>
      {plural(turns, 'request')} in {periodText(period)}
      {n > 0 && <>, {formatShare(1 - unusable(data.totals) / n)} of those with calls valid</>}, {formatCount(none)}{' '}
      answered without a tool call{none > 0 && <> ({formatShare(none / (none + n))})</>},{' '}
      {errors > 0 ? (
        <Anchor
          component={Link}
          to={linkTo('/failures', {
            ...periodQuery(period),
            view: 'list',
            outcome: 'error',
            model,
            client,
            team: teamId,
          })}
          inherit
        >
          {plural(errors, 'error')}
        </Anchor>
      ) : (
        'no errors'
      )}
      {behind && data.rolledUpTo && ` · charts delayed since ${formatClock(data.rolledUpTo)}`}
    </>
  );
}

function ModelFilter({ data, chosen }: { data: Overview; chosen: string | undefined }) {
  const address = useAddress();
  const names = new Set([...data.byModel, ...data.failingModels].map(({ model }) => model));
  if (chosen) names.add(chosen);
  return (
    <NativeSelect
      size="xs"
      w={190}
      aria-label="Model"
      data={[{ value: '', label: 'All models' }, ...[...names].sort()]}
      value={chosen ?? ''}
      onChange={({ currentTarget }) => address.set({ model: currentTarget.value })}
    />
  );
}

const Charts = ({ data, filter }: { data: Overview; filter: OverviewFilter }) => (
  <Stack gap="md">
    <Tiles data={data} period={filter.period} />
    <OutcomesOverTime data={data} filter={filter} />
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <ModelsOverTime data={data} filter={filter} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Stack gap="md">
          <Classes data={data} filter={filter} />
          <Changes data={data} />
        </Stack>
      </Grid.Col>
    </Grid>
  </Stack>
);

function Nothing({ filter }: { filter: OverviewFilter }) {
  const filtered = filter.model ?? filter.client ?? filter.teamId;
  const address = useAddress();
  if (!filtered && 'range' in filter.period) return <FirstSteps period={filter.period} />;
  return (
    <Empty
      title={`No requests in ${periodText(filter.period)}`}
      action={
        <Group>
          <Anchor
            component="button"
            type="button"
            onClick={() => address.set({ model: null, client: null, team: null, from: null, to: null, range: '7d' })}
          >
            Show the last 7 days
          </Anchor>
        </Group>
      }
    >
      {filtered ? <Text component="span">None for {filtered}. </Text> : null}
      Requests appear here as soon as a client sends one.
    </Empty>
  );
}

/** As high as the tiles and the chart that it is replaced with. */
const Loading = () => (
  <Stack gap="md" role="status" aria-busy="true" aria-label="Loading">
    <Skeleton h={{ base: 396, md: 134 }} />
    <Skeleton h={386} />
  </Stack>
);
