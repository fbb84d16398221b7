import type { Turn, TurnEvent } from '@callsmith/turn';
import type { ClientResponse } from './client-response.ts';

/** An answer that goes to nobody, and all the same ends attempts as one to a client would. */
export class DiscardedResponse implements ClientResponse {
  committed = false;
  satisfied = false;

  constructor(private readonly turn: Turn) {}

  push(event: TurnEvent): void {
    // Of a whole answer nothing goes out before its end.
    if (!this.turn.stream) return;
    if (event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-start')
      this.committed = true;
    if (event.type === 'tool-end' && event.whole && !this.turn.parallel && this.turn.n === 1) this.satisfied = true;
  }

  flush(): void {}

  passFrame(): void {}

  passWhole(): void {}

  end(): void {}
}
