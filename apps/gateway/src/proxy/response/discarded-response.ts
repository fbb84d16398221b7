import type { Turn, TurnEvent } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { ClientResponse } from './client-response.ts';
import { SummarizedResponse } from './summarized-response.ts';

/** An observer of a response without a client. */
export interface DeliveryListener {
  /** An attempt feeds the response from now on: the previous one's output is replaced. */
  begun(): void;
  /** What would be sent to a client. */
  delivered(event: TurnEvent): void;
}

/** A response without a client that ends attempts as a real one would. */
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
    // Of a whole response nothing is sent before its end.
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
