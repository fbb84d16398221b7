import type { ReactNode } from 'react';

/** One column of a table. */
export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** The title is only for screen readers, where the column shows for itself what it is. */
  readonly untitled?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** What the column is sorted by; without it, it is not. */
  readonly sort?: (row: Row) => string | number | null;
  readonly right?: boolean;
  /** Left out where the table is narrower than this. */
  readonly hideBelow?: 'Sm' | 'Md' | 'Lg';
  readonly width?: string;
}
