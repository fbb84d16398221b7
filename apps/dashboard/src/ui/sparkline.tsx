const width = 120;
const height = 28;

/** A small line without axes; gaps stay gaps. It is decoration: the number is beside it. */
export function Sparkline({ values, color }: { values: readonly (number | null)[]; color: string }) {
  const measured = values.filter((value) => value !== null);
  if (measured.length < 2) return <svg width="100%" height={height} aria-hidden="true" />;
  const [low, high] = [Math.min(...measured, 0), Math.max(...measured)];
  const step = width / Math.max(1, values.length - 1);
  const y = (value: number) => (high === low ? height - 2 : height - 2 - ((value - low) / (high - low)) * (height - 4));
  return (
    <svg width="100%" height={height} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path
        d={pathOf(values, step, y)}
        fill="none"
        stroke={color}
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

// A value between two gaps becomes a short dash, so that it is seen at all.
function pathOf(values: readonly (number | null)[], step: number, y: (value: number) => number): string {
  return values
    .map((value, n) => {
      if (value === null) return '';
      const before = values[n - 1];
      const at = `${(n * step).toFixed(1)} ${y(value).toFixed(1)}`;
      return before === null || before === undefined ? `M${at}l0.1 0` : `L${at}`;
    })
    .join('');
}
