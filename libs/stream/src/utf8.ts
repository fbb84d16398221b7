import type { Stage } from './stage.ts';

const decoder = () => new TextDecoder('utf-8', { ignoreBOM: true });
/** Keeps no state between calls, so that all streams share it. */
const whole = decoder();

/**
 * Decodes bytes to text; a character split between two reads is emitted with the second. Invalid bytes become U+FFFD.
 */
export const utf8 = (): Stage<Uint8Array, string> => (next) => {
  /** Created for the first read that ends in the middle of a character. */
  let split: ReturnType<typeof decoder> | undefined;
  let open = false;
  return {
    push(bytes) {
      if (bytes.length === 0) return;
      // A read that ends in ASCII ends between characters, and decoding without state is several times faster.
      const closes = (bytes[bytes.length - 1] as number) < 0x80;
      let text: string;
      if (closes && !open) text = whole.decode(bytes);
      else {
        split ??= decoder();
        text = split.decode(bytes, { stream: true });
      }
      open = !closes;
      if (text !== '') next.push(text);
    },
    flush: () => next.flush(),
    end(fault) {
      const rest = open ? (split?.decode() ?? '') : '';
      if (rest !== '') next.push(rest);
      next.end(fault);
    },
  };
};
