import { CloseButton } from '@mantine/core';
import css from './page.module.css';
import { RequestView } from './request-view.tsx';

/** The selected request beside its list. */
export const SelectedRequest = ({ label, id, onClose }: { label: string; id: string; onClose?: () => void }) => (
  // What scrolls is reached by keyboard.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <section className={css.detail} aria-label={label} tabIndex={0}>
    {onClose && <CloseButton className={css.close ?? ''} aria-label="Close request" onClick={onClose} />}
    <RequestView id={id} pane />
  </section>
);
