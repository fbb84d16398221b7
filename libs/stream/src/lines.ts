import { Fault } from '@callsmith/turn';
import { maxEventLength } from './sse.ts';
import type { Stage } from './stage.ts';

/**
 * Splits text into lines, without their line endings and without empty ones: JSON lines, as Ollama streams them. The
 * last line counts even if it is not terminated. A line beyond `limit` UTF-16 units ends the stream with a fault; the
 * rest is ignored.
 */
export const lines =
  (limit: number = maxEventLength): Stage<string, string> =>
  (next) => {
    /** The start of a line that is not complete yet. */
    let held: string[] = [];
    let heldLength = 0;
    let over = false;

    function line(text: string): void {
      const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
      if (whole.trim() !== '') next.push(whole);
    }

    return {
      push(text) {
        if (over || text === '') return;
        let start = 0;
        for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
          const rest = text.slice(start, end);
          line(held.length === 0 ? rest : held.join('') + rest);
          held = [];
          heldLength = 0;
          start = end + 1;
        }
        if (start < text.length) held.push(start === 0 ? text : text.slice(start));
        heldLength += text.length - start;
        if (heldLength <= limit) return;
        over = true;
        held = [];
        next.end(
          new Fault('upstream_invalid_answer', `The model server sent a line of more than ${limit} characters.`),
        );
      },
      flush: () => next.flush(),
      end(fault) {
        if (over) return;
        if (fault === undefined && held.length > 0) line(held.join(''));
        next.end(fault);
      },
    };
  };
