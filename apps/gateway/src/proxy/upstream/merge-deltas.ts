import type { Stage } from '@callsmith/stream';
import type { TurnEvent } from '@callsmith/turn';

type TextEvent = Extract<TurnEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/** Joins neighbouring pieces of text within one network read: what came together goes out as one delta. */
export const merge = (): Stage<TurnEvent, TurnEvent> => (next) => {
  let first: TextEvent | undefined;
  /** What came behind `first`. */
  let more = '';
  const release = (): void => {
    if (first === undefined) return;
    const event = more === '' ? first : { type: first.type, choice: first.choice, text: first.text + more };
    first = undefined;
    more = '';
    next.push(event);
  };
  return {
    push(event) {
      if ((event.type !== 'text-delta' && event.type !== 'reasoning-delta') || event.extra !== undefined) {
        release();
        next.push(event);
      } else if (first !== undefined && first.type === event.type && first.choice === event.choice) more += event.text;
      else {
        release();
        first = event;
      }
    },
    flush() {
      release();
      next.flush();
    },
    end(fault) {
      release();
      next.end(fault);
    },
  };
};
