import type { TurnEvent } from '@callsmith/turn';
import type { ClientResponse } from './client-response.ts';
import { SummarizedResponse } from './summarized-response.ts';

/** An answer that goes to nobody, and all the same ends attempts as one to a client would. */
export class DiscardedResponse extends SummarizedResponse implements ClientResponse {
  push(event: TurnEvent): void {
    this.summary.add(event);
    // Of a whole answer nothing goes out before its end.
    if (this.turn.stream) this.commit(event);
  }

  pushText(): boolean {
    return false;
  }

  flush(): void {}

  passFrame(): void {}

  passWhole(): void {}

  passUsage(): void {}

  protected close(): void {}
}
