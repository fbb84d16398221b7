import css from './models-over-time.module.css';

interface Given {
  readonly points: readonly { readonly at: string; readonly malformed: number | null }[];
  /** The share at the top edge; the same for all models, so that they compare. */
  readonly top: number;
  /** Instants at which the strategy changed. */
  readonly changes: readonly string[];
}

const width = 240;
const height = 34;

/** One model's malformed rate over time, with a line where its strategy changed. The table's numbers say the same. */
export function ModelChart({ points, top, changes }: Given) {
  const [first, last] = [Date.parse(points[0]?.at ?? ''), Date.parse(points.at(-1)?.at ?? '')];
  const x = (at: string) => ((Date.parse(at) - first) / Math.max(1, last - first)) * width;
  const y = (share: number) => height - 3 - (share / top) * (height - 6);
  const measured = points.flatMap(({ at, malformed }) => (malformed === null ? [] : [[x(at), y(malformed)] as const]));
  const line = measured
    .map(([left, down], n) => `${n === 0 ? 'M' : 'L'}${left.toFixed(1)} ${down.toFixed(1)}`)
    .join('');
  const [start, end] = [measured[0], measured.at(-1)];
  return (
    <svg className={css.course} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={`M0 ${height - 3}H${width}`} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      {changes
        .filter((at) => Date.parse(at) >= first && Date.parse(at) <= last)
        .map((at) => (
          <path
            key={at}
            d={`M${x(at).toFixed(1)} 0V${height}`}
            stroke="var(--accent)"
            strokeWidth="1.5"
            strokeDasharray="3 2"
            vectorEffect="non-scaling-stroke"
          />
        ))}
      {start && end && (
        <>
          <path
            d={`${line}L${end[0].toFixed(1)} ${height - 3}L${start[0].toFixed(1)} ${height - 3}Z`}
            fill="var(--failed)"
            fillOpacity="0.12"
          />
          <path
            d={measured.length === 1 ? `${line}l0.1 0` : line}
            fill="none"
            stroke="var(--failed)"
            strokeWidth={measured.length === 1 ? 4 : 1.5}
            strokeLinecap="round"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}
