import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect } from 'react';

interface Given {
  readonly count: number;
  readonly rowHeight: number;
  /** What scrolls; null: not drawn yet. */
  readonly scroll: HTMLElement | null;
  readonly draw: (from: number, to: number) => ReactNode;
  /** Called when the end comes into view. */
  readonly onEnd: (() => void) | undefined;
}

/** The rows in view of a table that scrolls, with room above and below for the others. */
export function LongRows({ count, rowHeight, scroll, draw, onEnd }: Given) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const drawn = virtual.getVirtualItems();
  const [first, last] = [drawn[0], drawn.at(-1)];
  const end = last?.index ?? -1;
  useEffect(() => {
    if (end >= count - 5 && end >= 0) onEnd?.();
  }, [end, count, onEnd]);
  const below = virtual.getTotalSize() - (last?.end ?? 0);
  return (
    <>
      {first && first.start > 0 && <Spacer height={first.start} />}
      {first && draw(first.index, end + 1)}
      {below > 0 && <Spacer height={below} />}
    </>
  );
}

// biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without cells takes no focus
const Spacer = ({ height }: { height: number }) => <tr style={{ height }} aria-hidden="true" />;
