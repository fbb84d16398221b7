import type { Turn, TurnEvent } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { ClientResponse } from './client-response.ts';
import { SummarizedResponse } from './summarized-response.ts';

/** Somebody who looks on while an answer goes to nobody. */
export interface DeliveryListener {
  /** An attempt feeds the answer from now on: what the one before it said does not count. */
  begun(): void;
  /** What would go out to a client. */
  delivered(event: TurnEvent): void;
}

/** An answer that goes to nobody, and all the same ends attempts as one to a client would. */
export class DiscardedResponse extends SummarizedResponse implements ClientResponse {
  constructor(
    turn: Turn,
    summary: ResponseSummary,
    private readonly onlooker?: DeliveryListener,
  ) {
    super(turn, summary);
  }

  override begin(): void {
    super.begin();
    this.onlooker?.begun();
  }

  push(event: TurnEvent): void {
    this.summary.add(event);
    this.onlooker?.delivered(event);
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
