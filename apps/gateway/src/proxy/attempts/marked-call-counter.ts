import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import type { ResponseSummary } from '../record/response-summary.ts';

/** After this many calls the model is taken to always mark its calls. */
const enough = 3;

/** Counts, of each model on an upstream, the calls that came natively or with markers, until there are enough (D-33). */
export class MarkedCallCounter {
  private readonly seen = new Map<string, number>();

  /**
   * Counts the calls of a response. Returns true when there are enough of them to learn that the model marks its calls.
   */
  add({ id, dialect }: ModelEntry, { upstream, marksCalls }: Route, summary: ResponseSummary): boolean {
    const isDeclared = dialect.source === 'declared' && dialect.value !== 'auto';
    if (marksCalls || isDeclared || summary.calls.length === 0) return false;
    const place = `${id} ${upstream.id}`;
    const unmarked = summary.notes.filter(({ detail }) => detail === 'unmarked-call').length;
    const seen = (this.seen.get(place) ?? 0) + summary.calls.length - unmarked;
    if (seen < enough) this.seen.set(place, seen);
    else this.seen.delete(place);
    return seen >= enough;
  }
}
