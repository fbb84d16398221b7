import type { InboundAdapter, ResponseHead } from '@callsmith/protocols';
import type { Fault, JsonObject, Turn, TurnEvent } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { ClientResponse, SendBody } from './client-response.ts';
import { SummarizedResponse } from './summarized-response.ts';

/** A whole response: nothing is sent before the end, so it is never committed. */
export class WholeResponse extends SummarizedResponse implements ClientResponse {
  private passed: JsonObject | undefined;

  constructor(
    private readonly adapter: InboundAdapter,
    turn: Turn,
    private readonly head: ResponseHead,
    private readonly out: { readonly summary: ResponseSummary; readonly sendBody: SendBody },
  ) {
    super(turn, out.summary);
  }

  push(event: TurnEvent): void {
    this.summary.add(event);
  }

  pushText(text: string): boolean {
    this.summary.add({ type: 'text-delta', choice: 0, text });
    return true;
  }

  flush(): void {}

  passFrame(): void {}

  passWhole(whole: JsonObject): void {
    this.passed = whole;
  }

  passUsage(): void {}

  protected close(fault: Fault | undefined): void {
    const { sendBody, summary } = this.out;
    if (fault) sendBody.fault(fault);
    else sendBody.whole(this.passed ?? this.adapter.wholeResponse(this.turn, this.head, summary.answer.whole()));
  }
}
