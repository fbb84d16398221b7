import {
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import { useAddress } from '../lib/address.ts';
import type { Column } from './table-column.ts';

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

/**
 * A table whose sorting is in the URL as `?name=column.desc`. A click on a heading sorts by it from the largest
 * down, the next from the smallest up, the third as the rows came.
 */
export function useSortedTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  name: string,
) {
  const address = useAddress();
  const sorting = sortingOf(address.get(name));
  const definitions = useMemo(
    () =>
      columns.map(({ key, sort }) => ({
        id: key,
        // A row without a value is last, whichever way.
        accessorFn: (row: Row) => sort?.(row) ?? undefined,
        enableSorting: sort !== undefined,
        sortUndefined: 'last' as const,
        sortDescFirst: true,
        sortFn: compare,
      })),
    [columns],
  );
  return useTable({
    features,
    data: rows,
    columns: definitions,
    state: { sorting },
    onSortingChange(change) {
      const [by] = typeof change === 'function' ? change(sorting) : change;
      address.set({ [name]: by ? `${by.id}.${by.desc ? 'desc' : 'asc'}` : null });
    },
  });
}

function sortingOf(word: string | undefined): SortingState {
  const [id, order] = word?.split('.') ?? [];
  return id && (order === 'asc' || order === 'desc') ? [{ id, desc: order === 'desc' }] : [];
}

interface Valued {
  getValue(column: string): unknown;
}

function compare(a: Valued, b: Valued, column: string): number {
  const [x, y] = [a.getValue(column), b.getValue(column)];
  return typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
}
