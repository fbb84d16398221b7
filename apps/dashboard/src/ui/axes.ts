import { axisFormat } from '../lib/format.ts';

const tick = { fill: 'var(--mantine-color-dimmed)' };

/** How the axis of time looks under so many columns, `step` seconds each; a column's start is its `at`. */
export const timeAxis = (columns: number, step: number) =>
  ({
    dataKey: 'at',
    tickFormatter: axisFormat(columns, step),
    tickLine: false,
    minTickGap: 36,
    tickMargin: 6,
    tick,
    axisLine: { stroke: 'var(--line-strong)' },
  }) as const;

/** How the axis of values looks. */
export const valueAxis = { width: 46, tickLine: false, axisLine: false, tick } as const;

/** How far columns stand apart: further where there are few. */
export const columnGaps = (columns: number) => ({ barCategoryGap: columns > 80 ? 0.5 : '8%', maxBarSize: 36 }) as const;
