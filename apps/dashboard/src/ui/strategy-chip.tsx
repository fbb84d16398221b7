import { IconArrowNarrowRight } from '@tabler/icons-react';
import { Tag } from './tag.tsx';

/** The strategy that is set, and what runs where that is another word. */
export const StrategyChip = ({ set, used }: { set: string; used: string }) =>
  set === used ? (
    <Tag kind="accent">{set}</Tag>
  ) : (
    <Tag kind="accent">
      {set}
      <IconArrowNarrowRight size={13} aria-label="runs as" role="img" />
      {used}
    </Tag>
  );
