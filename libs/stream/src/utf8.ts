import type { Stage } from './stage.ts';

/** Bytes to text; a character split between two reads comes whole with the second. Broken bytes become U+FFFD. */
export const utf8 = (): Stage<Uint8Array, string> => (next) => {
  const whole = new TextDecoder('utf-8', { ignoreBOM: true });
  const split = new TextDecoder('utf-8', { ignoreBOM: true });
  let open = false;
  return {
    push(bytes) {
      if (bytes.length === 0) return;
      // A read that ends in ASCII ends between characters, and decoding without state is several times faster.
      const closes = (bytes[bytes.length - 1] as number) < 0x80;
      const text = closes && !open ? whole.decode(bytes) : split.decode(bytes, { stream: true });
      open = !closes;
      if (text !== '') next.push(text);
    },
    flush: () => next.flush(),
    end(fault) {
      const rest = open ? split.decode() : '';
      if (rest !== '') next.push(rest);
      next.end(fault);
    },
  };
};
