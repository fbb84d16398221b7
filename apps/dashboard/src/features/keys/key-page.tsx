import { Anchor, Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { remember } from '../../lib/recent.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { BackTo } from '../../ui/back-to.tsx';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { OutcomesPanel } from '../overview/outcomes-panel.tsx';
import { ActiveFilters } from '../usage/active-filters.tsx';
import { usageQuery } from '../usage/queries.ts';
import { usageFilterIn } from '../usage/usage-filter.ts';
import { UsagePanels } from '../usage/usage-panels.tsx';
import { Dialogs } from './dialogs.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyFacts } from './key-facts.tsx';
import { keyQuery } from './queries.ts';

/** One key: what it may do, when it is to be rotated, how its calls came out, and what it used. */
export function KeyPage() {
  const { id = '' } = useParams();
  const me = useMe();
  const key = useQuery(keyQuery(id));
  const filter = { ...usageFilterIn(useAddress().params), keyId: id };
  const usage = useQuery(usageQuery(filter));
  const holder = key.data?.holder;
  useEffect(() => {
    if (holder) remember({ to: `/keys/${encodeURIComponent(id)}`, label: `Key of ${holder}` });
  }, [id, holder]);
  if (!key.data)
    return (
      <Page title="Key" before={<BackTo to="/keys" name="Keys" />}>
        {key.isError ? <Problem error={key.error} onRetry={() => void key.refetch()} /> : <LoadingRows rows={10} />}
      </Page>
    );
  return (
    <Page
      title={`Key of ${key.data.holder}`}
      before={<BackTo to="/keys" name="Keys" />}
      actions={
        <>
          <ActiveFilters filter={filter} data={usage.data} />
          <Anchor component={Link} to={linkTo('/failures', { key: id })} fz="sm">
            Failures
          </Anchor>
          <RangePicker period={filter.period} />
          {hasRole(me, 'editor') && <KeyActions of={key.data} />}
        </>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <KeyFacts of={key.data} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="md">
            <OutcomesPanel key={id} filter={{ period: filter.period, keyId: id }} />
            <UsagePanels filter={filter} fixed={['key', 'team']} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Dialogs keys={[key.data]} />
    </Page>
  );
}
