import type { Stage } from '@callsmith/stream';
import type { TurnEvent } from '@callsmith/turn';

type TextEvent = Extract<TurnEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/** Joins neighbouring pieces of text within one network read: what came together goes out as one delta. */
export const merge = (): Stage<TurnEvent, TurnEvent> => (next) => {
  let held: TextEvent | undefined;
  const release = (): void => {
    if (held === undefined) return;
    const event = held;
    held = undefined;
    next.push(event);
  };
  return {
    push(event) {
      if ((event.type !== 'text-delta' && event.type !== 'reasoning-delta') || event.extra) {
        release();
        next.push(event);
      } else if (held?.type === event.type && held.choice === event.choice)
        held = { ...held, text: held.text + event.text };
      else {
        release();
        held = event;
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
