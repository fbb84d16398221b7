import type { ReactNode } from 'react';
import { Link } from 'react-router';
import css from './row-link.module.css';

/** The link of a table's row: the whole row is its target. Other controls in the row need `z-index` 2. */
export const RowLink = ({ to, children, current = false }: { to: string; children: ReactNode; current?: boolean }) => (
  <Link className={css.link} to={to} preventScrollReset aria-current={current ? 'true' : undefined}>
    {children}
  </Link>
);
