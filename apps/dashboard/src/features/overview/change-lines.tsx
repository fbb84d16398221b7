import type { Plot } from '../../ui/column-chart.tsx';
import css from './outcomes-chart.module.css';
import type { Overview } from './queries.ts';
import { linesOf, type Marked } from './strategy-lines.ts';

/** A line where a strategy was changed, with its words above it. */
export const ChangeLines = ({ data, plot: { xOf, width, top, bottom } }: { data: Overview & Marked; plot: Plot }) =>
  linesOf(data, width).map(({ at, label, late }) => {
    const x = xOf(Date.parse(at));
    return (
      <g key={at}>
        <line x1={x} x2={x} y1={top} y2={bottom} className={css.change} />
        <text x={x + (late ? 3 : -3)} y={top - 8} textAnchor={late ? 'end' : 'start'} className={css.label}>
          {label.length > 30 ? `${label.slice(0, 28)}…` : label}
        </text>
      </g>
    );
  });
