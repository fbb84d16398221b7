import type { Stage } from '@callsmith/stream';
import type { TurnEvent } from '@callsmith/turn';

type TextEvent = Extract<TurnEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/** Joins neighboring pieces of text within one network read: what came together goes out as one delta. */
export const mergeDeltas = (): Stage<TurnEvent, TurnEvent> => (next) => {
  /** Plain text that came without events; then there is no `first`. */
  let plain = '';
  let first: TextEvent | undefined;
  /** What came behind `first`. */
  let more = '';
  const release = (): void => {
    if (first !== undefined) {
      const event = more === '' ? first : { type: first.type, choice: first.choice, text: first.text + more };
      first = undefined;
      more = '';
      next.push(event);
    } else if (plain !== '') {
      const text = plain;
      plain = '';
      if (!next.pushText?.(text)) next.push({ type: 'text-delta', choice: 0, text });
    }
  };
  return {
    push(event) {
      if ((event.type !== 'text-delta' && event.type !== 'reasoning-delta') || event.extra !== undefined) {
        release();
        next.push(event);
        return;
      }
      if (plain !== '' && event.type === 'text-delta' && event.choice === 0) {
        first = { type: 'text-delta', choice: 0, text: plain };
        plain = '';
      }
      if (first !== undefined && first.type === event.type && first.choice === event.choice) more += event.text;
      else {
        release();
        first = event;
      }
    },
    pushText(text) {
      if (first === undefined) plain += text;
      else if (first.type === 'text-delta' && first.choice === 0) more += text;
      else {
        release();
        plain = text;
      }
      return true;
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
