import type { InboundAdapter, ResponseHead } from '@callsmith/protocols';
import type { Sink } from '@callsmith/stream';
import type { Fault, Turn, TurnEvent, Usage } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { ClientResponse, SendBody } from './client-response.ts';
import type { StreamReply } from './stream-reply.ts';
import { SummarizedResponse } from './summarized-response.ts';

/** A streamed response: sends each event as frames of the client's API. */
export class StreamResponse extends SummarizedResponse implements ClientResponse {
  private readonly frames: Sink<TurnEvent>;
  private readonly started = new Set<number>();
  private passing = false;

  constructor(
    private readonly adapter: InboundAdapter,
    turn: Turn,
    private readonly head: ResponseHead,
    private readonly out: {
      readonly summary: ResponseSummary;
      readonly reply: StreamReply;
      readonly sendBody: SendBody;
    },
  ) {
    super(turn, out.summary);
    this.frames = adapter.streamFrames(turn, head)(out.reply);
  }

  push(event: TurnEvent): void {
    this.summary.add(event);
    if (event.type === 'note') return;
    if (event.type === 'turn-start') {
      if (this.started.has(event.choice)) return;
      this.started.add(event.choice);
      this.out.reply.open();
    }
    this.commit(event);
    this.frames.push(event);
  }

  pushText(text: string): boolean {
    if (!this.frames.pushText?.(text)) return false;
    this.committed = true;
    this.summary.add({ type: 'text-delta', choice: 0, text });
    return true;
  }

  flush(): void {
    this.out.reply.flush();
  }

  passFrame(frame: string): void {
    // Until then only heads of messages were sent, which another attempt may send again.
    if (this.summary.firstTokenAt !== undefined) this.committed = true;
    this.passing = true;
    this.out.reply.push(frame);
  }

  passWhole(): void {}

  passUsage(usage: Usage): void {
    this.out.reply.push(this.adapter.passthrough?.usageAndDone(this.head, usage) ?? '');
  }

  protected close(fault: Fault | undefined): void {
    const { reply, sendBody } = this.out;
    if (fault === undefined) {
      // Passed-through output contains its own last frames.
      if (this.passing) reply.end();
      else this.frames.end();
    } else if (reply.opened) {
      reply.push(this.adapter.errorFrames(fault, this.head));
      reply.end();
    } else sendBody.fault(fault);
  }
}
