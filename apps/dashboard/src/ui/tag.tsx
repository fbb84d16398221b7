import type { ReactNode } from 'react';
import css from './tag.module.css';

/** A short word in a frame: `accent` for what is in effect, `quiet` for the rest. */
export const Tag = ({ kind, children }: { kind?: 'accent' | 'quiet'; children: ReactNode }) => (
  <span className={`${css.tag} ${kind ? css[kind] : ''}`}>{children}</span>
);
