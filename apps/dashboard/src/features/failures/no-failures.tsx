import { filterNames } from '@callsmith/contracts';
import { useAddress } from '../../lib/address.ts';
import { type Period, periodText } from '../../lib/period.ts';
import { Empty } from '../../ui/states.tsx';

/** Instead of a list without failures. `which`: the words for groups of one kind, where those are not all. */
export function NoFailures({ period, which }: { period: Period; which: string | undefined }) {
  const address = useAddress();
  const filtered = filterNames.some((name) => address.get(name));
  const title = `No ${which ? `${which} ` : ''}${filtered ? 'matching ' : ''}failures in ${periodText(period)}`;
  const elsewhere = which ? ' Groups in other states are under All.' : '';
  return (
    <Empty title={title}>
      {filtered
        ? `No results match these filters. Clear them or choose a longer time range.${elsewhere}`
        : `Requests with repaired or failed calls, and requests that ended in an error, appear here.${elsewhere}`}
    </Empty>
  );
}
