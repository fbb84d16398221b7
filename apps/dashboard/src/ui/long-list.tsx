import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import css from './long-list.module.css';

interface Given<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly itemKey: (item: Item) => string;
  readonly draw: (item: Item) => ReactNode;
  /** About how high an item is, in pixels. */
  readonly itemHeight: number;
  readonly selected: (item: Item) => boolean;
  /** Called when the end comes into view; absent: there is nothing more. */
  readonly onEnd?: () => void;
  readonly maxHeight: string;
}

/** A list of which only what is in view is drawn, its items as high as they are. A selected item comes into view. */
export function LongList<Item>({ items, ...props }: Given<Item>) {
  const scroll = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => props.itemHeight,
    getItemKey: (place) => {
      const item = items[place];
      return item === undefined ? place : props.itemKey(item);
    },
    overscan: 3,
    // The heights of items that are drawn for the first time are measured together, not one rendering for each.
    useFlushSync: false,
  });
  const drawn = virtual.getVirtualItems();
  const end = drawn.at(-1)?.index ?? -1;
  const { onEnd } = props;
  useEffect(() => {
    if (end >= items.length - 3 && end >= 0) onEnd?.();
  }, [end, items.length, onEnd]);
  const place = items.findIndex(props.selected);
  const selected = items[place];
  const selectedKey = selected === undefined ? undefined : props.itemKey(selected);
  const showSelected = useEffectEvent(() => virtual.scrollToIndex(place, { align: 'auto' }));
  // Only when it is selected: items that move later do not scroll the list.
  useEffect(() => {
    if (selectedKey !== undefined) showSelected();
  }, [selectedKey]);
  return (
    <section
      ref={scroll}
      className={css.scroll}
      style={{ maxHeight: props.maxHeight }}
      // What scrolls is reached by keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      aria-label={`${props.label}, list`}
    >
      <ul className={css.list} style={{ height: virtual.getTotalSize() }} aria-label={props.label}>
        {drawn.map(({ index, key, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className={css.item}
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={onEnd ? -1 : items.length}
                aria-posinset={index + 1}
              >
                {props.draw(item)}
              </li>
            )
          );
        })}
      </ul>
    </section>
  );
}
