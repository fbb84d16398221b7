import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { formatCompact, formatMoney, formatShare, plural } from '../../lib/format.ts';
import { type Period, periodText } from '../../lib/period.ts';
import { useMe } from '../../lib/session.ts';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { ActiveFilters } from './active-filters.tsx';
import { type Usage, usageQuery } from './queries.ts';
import { usageFilterIn } from './usage-filter.ts';
import { UsagePanels } from './usage-panels.tsx';

/** Who uses how much: tokens and requests over time, by model, key, team or client. */
export function UsagePage() {
  const { params } = useAddress();
  const filter = usageFilterIn(params);
  const { data } = useQuery(usageQuery(filter));
  return (
    <Page
      title="Usage"
      subtitle={data && data.totals.turns > 0 && <Summary data={data} period={filter.period} />}
      actions={
        <>
          <ActiveFilters filter={filter} data={data} />
          <RangePicker period={filter.period} />
        </>
      }
    >
      <UsagePanels filter={filter} />
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
