import { Anchor, Button, Skeleton, Stack } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { formatCompact, formatMoney, formatShare, plural } from '../../lib/format.ts';
import { type Period, periodText } from '../../lib/period.ts';
import { useMe } from '../../lib/session.ts';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { askedOf } from './asked.ts';
import { type Asked, groups, type Usage, usageQuery } from './queries.ts';
import { UsageOverTime } from './usage-over-time.tsx';
import { UsageTable } from './usage-table.tsx';

/** Who uses how much: tokens and requests over time, by model, key, team or client. */
export function UsagePage() {
  const { params } = useAddress();
  const asked = askedOf(params);
  const usage = useQuery(usageQuery(asked));
  const { data } = usage;
  return (
    <Page
      title="Usage"
      subtitle={data && data.totals.turns > 0 && <Summary data={data} period={asked.period} />}
      actions={
        <>
          <Only asked={asked} data={data} />
          <RangePicker period={asked.period} />
        </>
      }
    >
      {usage.isError && (!data || usage.isPlaceholderData) && (
        <Problem error={usage.error} onRetry={() => void usage.refetch()} />
      )}
      {usage.isPending && (
        <Stack gap="md">
          <Skeleton height={386} />
          <LoadingRows rows={6} />
        </Stack>
      )}
      {data && data.totals.turns === 0 && <Nothing asked={asked} />}
      {data && data.totals.turns > 0 && (
        <Stack gap="md">
          <UsageOverTime data={data} />
          <UsageTable data={data} asked={asked} />
        </Stack>
      )}
    </Page>
  );
}

function Summary({ data: { totals }, period }: { data: Usage; period: Period }) {
  const { currency } = useMe().installation;
  return (
    <>
      {plural(totals.turns, 'request')} in {periodText(period)}: {formatCompact(totals.inputTokens)} tokens in,{' '}
      {formatCompact(totals.outputTokens)} out
      {totals.spend > 0 && <>, {formatMoney(totals.spend, currency)}</>}
      {totals.inputTokens > 0 && totals.cachedTokens > 0 && (
        <>, {formatShare(totals.cachedTokens / totals.inputTokens)} of the input from the cache</>
      )}
      {totals.inputTokens > 0 && totals.injectedTokens > 0 && (
        <>, {formatShare(totals.injectedTokens / totals.inputTokens)} added by the prompt strategy</>
      )}
    </>
  );
}

/** What the figures are confined to; each takes itself away. */
function Only({ asked, data }: { asked: Asked; data: Usage | undefined }) {
  const address = useAddress();
  const names = { model: data?.only.model, key: data?.only.key, team: data?.only.team, client: asked.client };
  return groups
    .filter((group) => address.get(group))
    .map((group) => (
      <Button
        key={group}
        size="xs"
        variant="light"
        maw={260}
        rightSection={<IconX size={13} />}
        onClick={() => address.set({ [group]: null })}
        aria-label={`Clear ${group} filter`}
      >
        {names[group] ?? `By ${group}`}
      </Button>
    ));
}

function Nothing({ asked }: { asked: Asked }) {
  const address = useAddress();
  return (
    <Empty
      title={`No requests in ${periodText(asked.period)}`}
      action={
        <Anchor
          component="button"
          type="button"
          onClick={() =>
            address.set({
              ...Object.fromEntries(groups.map((group) => [group, null])),
              from: null,
              to: null,
              range: '30d',
            })
          }
        >
          Show the last 30 days
        </Anchor>
      }
    >
      Tokens and requests appear here as soon as a client sends a request.
    </Empty>
  );
}
