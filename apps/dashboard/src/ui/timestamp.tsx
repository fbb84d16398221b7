import { formatAgo, formatMoment, formatMomentSeconds, formatUtc } from '../lib/format.ts';
import { useNow } from '../lib/now.ts';

/** An instant as its distance from now; local time and UTC on hover. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow(10_000);
  return (
    <time dateTime={at} title={`${formatMoment(at)} · ${formatUtc(at)}`}>
      {formatAgo(at, now)}
    </time>
  );
}

/** An instant in local time; UTC on hover, or beside it (`withUtc`). */
export const Timestamp = ({ at, withUtc = false }: { at: string; withUtc?: boolean }) => (
  <time dateTime={at} title={formatUtc(at)}>
    {withUtc ? `${formatMomentSeconds(at)} (${formatUtc(at)})` : formatMoment(at)}
  </time>
);
