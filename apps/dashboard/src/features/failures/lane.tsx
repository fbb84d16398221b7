import type { ReactNode } from 'react';
import { Copy } from '../../ui/copy-field.tsx';
import css from './lanes.module.css';

interface Given {
  readonly title: string;
  /** A name that is unique on the page, where the title is not. */
  readonly name?: string;
  /** Null: there is nothing to copy. */
  readonly copy: string | null;
  readonly aside?: ReactNode;
  readonly under?: ReactNode;
  readonly children: ReactNode;
}

/** One of several texts side by side. Model text is only ever a text node: never markup, never HTML. */
export const Lane = ({ title, name = title, copy, aside, under, children }: Given) => (
  <section className={css.lane} aria-label={name}>
    <div className={css.head}>
      {title}
      <span>
        {aside}
        {copy !== null && <Copy value={copy} label={title.toLowerCase()} />}
      </span>
    </div>
    {under}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
    <section className={css.text} tabIndex={0} aria-label={`${name}: text`}>
      {children}
    </section>
  </section>
);
