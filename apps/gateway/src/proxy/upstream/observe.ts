import type { Stage } from '@callsmith/stream';
import type { TurnEvent, UpstreamEvent } from '@callsmith/turn';
import type { Listener } from '../observers/index.ts';

/**
 * A stage that calls listeners with each payload and passes it on. Without listeners it costs nothing: it is the next
 * sink itself.
 */
export const observePayloads =
  (listeners: readonly Listener<string>[]): Stage<string, string> =>
  (next) => {
    if (listeners.length === 0) return next;
    return {
      push(payload) {
        for (const listen of listeners) listen(payload);
        next.push(payload);
      },
      flush: () => next.flush(),
      end: (fault) => next.end(fault),
    };
  };

/**
 * A stage that calls listeners with each event and passes it on. Without listeners it costs nothing: it is the next
 * sink itself.
 */
export const observe =
  <Event extends UpstreamEvent | TurnEvent>(listeners: readonly Listener<Event>[]): Stage<Event, Event> =>
  (next) => {
    if (listeners.length === 0) return next;
    return {
      push(event) {
        for (const listen of listeners) listen(event);
        next.push(event);
      },
      pushText(text) {
        if (!next.pushText?.(text)) return false;
        const event = { type: 'text-delta', choice: 0, text } as Event;
        for (const listen of listeners) listen(event);
        return true;
      },
      flush: () => next.flush(),
      end: (fault) => next.end(fault),
    };
  };
