import type { ReactNode } from 'react';
import css from './fields.module.css';

/** Fields side by side where there is room, else one below the other. */
export const Fields = ({ children }: { children: ReactNode }) => <div className={css.fields}>{children}</div>;
