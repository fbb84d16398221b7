import { Fault } from '@callsmith/turn';
import { exceededBound } from './member-count.ts';
import type { Stage } from './stage.ts';

/**
 * The most members of one event or one call's arguments, and the most different names among them. Log probabilities have some hundred per
 * token; 250,000 are parsed, written and recorded in a tenth of a second.
 */
const most = { members: 250_000, names: 25_000 };

/** Ends a stream with a fault at an event with too many members, before it is parsed; what comes after is ignored. */
export const boundMembers = (): Stage<string, string> => (next) => {
  let over = false;
  return {
    push(payload) {
      if (over) return;
      const exceeded = tooManyMembers(payload);
      if (exceeded === undefined) {
        next.push(payload);
        return;
      }
      over = true;
      next.end(new Fault('upstream_invalid_answer', `The model server sent an event of more than ${exceeded}.`));
    },
    flush: () => next.flush(),
    end(fault) {
      if (!over) next.end(fault);
    },
  };
};

/** Which limit for the members of a JSON text it exceeds, in words; undefined: it can be parsed in a tenth of a second. */
export const tooManyMembers = (text: string): string | undefined => exceededBound(text, most);
