import type { Stage } from '@callsmith/stream';
import type { TurnEvent } from '@callsmith/turn';

type TextEvent = Extract<TurnEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/**
 * Joins adjacent deltas of the same kind and choice that came with one network read, so that the client gets them as
 * one delta.
 */
export const mergeDeltas = (): Stage<TurnEvent, TurnEvent> => (next) => {
  /** Text from `pushText`, which comes without an event. Only set while `first` is not. */
  let plainText = '';
  /** The first of the deltas that are being joined. */
  let first: TextEvent | undefined;
  /** The text of the deltas after `first`. */
  let more = '';
  const release = (): void => {
    if (first !== undefined) {
      const event = more === '' ? first : { type: first.type, choice: first.choice, text: first.text + more };
      first = undefined;
      more = '';
      next.push(event);
    } else if (plainText !== '') {
      const text = plainText;
      plainText = '';
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
      if (plainText !== '' && event.type === 'text-delta' && event.choice === 0) {
        first = { type: 'text-delta', choice: 0, text: plainText };
        plainText = '';
      }
      if (first !== undefined && first.type === event.type && first.choice === event.choice) more += event.text;
      else {
        release();
        first = event;
      }
    },
    pushText(text) {
      if (first === undefined) plainText += text;
      else if (first.type === 'text-delta' && first.choice === 0) more += text;
      else {
        release();
        plainText = text;
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
