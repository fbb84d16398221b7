import { Tooltip } from '@mantine/core';
import { formatAgo, formatMoment, formatUtc } from '../lib/format.ts';
import { useNow } from '../lib/now.ts';

/** An instant as its distance from now; local time and UTC on hover. */
export function Ago({ at }: { at: string }) {
  const now = useNow(10_000);
  return (
    <Tooltip label={`${formatMoment(at)} · ${formatUtc(at)}`}>
      <time dateTime={at}>{formatAgo(at, now)}</time>
    </Tooltip>
  );
}

/** An instant in local time; UTC on hover. */
export const Moment = ({ at }: { at: string }) => (
  <Tooltip label={formatUtc(at)}>
    <time dateTime={at}>{formatMoment(at)}</time>
  </Tooltip>
);
