import type { TurnDetail } from '@callsmith/contracts';
import type { ReactNode } from 'react';
import { Copy } from '../../ui/copy-field.tsx';
import { Delivered } from './delivered.tsx';
import css from './lanes.module.css';
import { Raw, rawText } from './raw.tsx';

type Body = NonNullable<TurnDetail['body']>;

/** What the model said beside what the client got, and under it what was asked: by the client, and by us of the model. */
export const Lanes = ({ body }: { body: Body }) => (
  <div className={css.frame}>
    <div className={css.lanes}>
      <Lane title="What the model said" copy={rawText(body.raw)}>
        <Raw raw={body.raw} notes={body.notes} />
      </Lane>
      <Lane title="What the client got" copy={pretty(body.delivered)}>
        <Delivered value={body.delivered} />
      </Lane>
      <Lane title="What the client asked" copy={body.clientRequest}>
        {body.clientRequest === null ? <None /> : prettyText(body.clientRequest)}
      </Lane>
      <Lane title="What was sent upstream" copy={body.upstreamRequest}>
        {body.upstreamRequest === null ? <None /> : prettyText(body.upstreamRequest)}
      </Lane>
    </div>
  </div>
);

// Model text is only ever a text node: never markup, never HTML.
const Lane = ({ title, copy, children }: { title: string; copy: string | null; children: ReactNode }) => (
  <section className={css.lane} aria-label={title}>
    <div className={css.head}>
      {title}
      {copy !== null && <Copy value={copy} label={title.toLowerCase()} />}
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
    <section className={css.text} tabIndex={0} aria-label={`${title}: text`}>
      {children}
    </section>
  </section>
);

const None = () => <span className={css.quiet}>not kept</span>;

const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

function prettyText(text: string): string {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}
