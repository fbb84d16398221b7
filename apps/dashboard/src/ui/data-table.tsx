import { VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import css from './data-table.module.css';
import type { Column } from './table-column.ts';
import { useSortedTable } from './table-sorting.ts';

interface Given<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** Rows lead somewhere: the first cell holds a `RowLink`. */
  readonly linked?: boolean;
  readonly chosen?: (row: Row) => boolean;
  /** The address's name for the sorting, where a view has several tables. */
  readonly sortName?: string;
  /** Absent: the table is as high as its rows, unless there are very many. */
  readonly maxHeight?: string;
  /** Called when the end comes into view. */
  readonly onEnd?: () => void;
  readonly rowHeight?: number;
}

/** A table with more rows scrolls, so that only those in view are drawn. */
const MOST_DRAWN = 60;

// Loaded where a table scrolls; Overview does without.
const LongRows = lazy(async () => ({ default: (await import('./long-rows.tsx')).LongRows }));

/** A table that sorts by its headings (kept in the address) and draws only the rows in view where it scrolls. */
export function DataTable<Row extends object>(props: Given<Row>) {
  const { rows, columns, label, onEnd, rowHeight = 41 } = props;
  const maxHeight = props.maxHeight ?? (rows.length > MOST_DRAWN ? 'calc(100dvh - 200px)' : undefined);
  // A state, not a ref: rows that are drawn along with it would find a ref empty, and stay away until drawn again.
  const [scroll, setScroll] = useState<HTMLElement | null>(null);
  const table = useSortedTable(rows, columns, props.sortName ?? 'sort');
  const sorted = table.getRowModel().rows;
  const draw = (from: number, to: number) => sorted.slice(from, to).map(({ original }) => drawRow(props)(original));
  return (
    // A region that scrolls is reached by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section ref={setScroll} className={css.scroll} style={{ maxHeight }} tabIndex={0} aria-label={`${label}, table`}>
      <table className={css.table} aria-label={label} aria-rowcount={sorted.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} sorting={table.getColumn(column.key)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {maxHeight === undefined ? (
            draw(0, sorted.length)
          ) : (
            <Suspense fallback={draw(0, 20)}>
              <LongRows count={sorted.length} rowHeight={rowHeight} scroll={scroll} draw={draw} onEnd={onEnd} />
            </Suspense>
          )}
        </tbody>
      </table>
    </section>
  );
}

const drawRow = <Row,>({ columns, rowKey, linked, chosen }: Given<Row>) =>
  function draw(row: Row) {
    return (
      <tr key={rowKey(row)} className={`${css.row} ${linked ? css.linked : ''} ${chosen?.(row) ? css.chosen : ''}`}>
        {columns.map((column) => (
          <td key={column.key} className={classOf(column)}>
            {column.cell(row)}
          </td>
        ))}
      </tr>
    );
  };

interface Sorting {
  getIsSorted(): 'asc' | 'desc' | false;
  toggleSorting(): void;
}

function Heading<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | undefined }) {
  const by = sorting?.getIsSorted() || null;
  const Arrow = by === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th
      scope="col"
      className={classOf(column)}
      style={{ width: column.width }}
      aria-sort={by === null ? undefined : by === 'asc' ? 'ascending' : 'descending'}
    >
      {column.sort ? (
        <button type="button" className={css.sort} onClick={() => sorting?.toggleSorting()}>
          {column.title}
          {by && <Arrow size={12} aria-hidden="true" />}
        </button>
      ) : column.untitled ? (
        <VisuallyHidden>{column.title}</VisuallyHidden>
      ) : (
        column.title
      )}
    </th>
  );
}

const classOf = <Row,>(column: Column<Row>): string =>
  [column.right ? css.right : '', column.hideBelow ? css[`below${column.hideBelow}`] : ''].join(' ').trim();
