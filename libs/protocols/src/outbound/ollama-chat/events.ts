import type { Sink, Stage } from '@callsmith/stream';
import { Fault, isObject, type UpstreamEvent } from '@callsmith/turn';
import { parseReply } from '../parse-reply.ts';
import { faultIn } from '../to-fault.ts';
import { endOf, messageEvents, startOf, usageIn } from './message-events.ts';

/** Lines of JSON to events. */
export const ollamaEvents = (): Stage<string, UpstreamEvent> => (next) => new OllamaEventParser(next);

class OllamaEventParser implements Sink<string> {
  private started = false;
  private calls = 0;
  /** The last line has arrived, or a fault has ended the response. */
  private closed = false;
  private done = false;

  constructor(private readonly next: Sink<UpstreamEvent>) {}

  push(line: string): void {
    if (this.closed || line === '') return;
    const chunk = parseReply(line);
    if (!isObject(chunk)) {
      this.fail(new Fault('upstream_invalid_answer', 'The model server sent a line that is not a JSON object.'));
      return;
    }
    const fault = faultIn(chunk);
    if (fault) {
      this.fail(fault);
      return;
    }
    if (!this.started) this.next.push(startOf(chunk));
    this.started = true;
    for (const event of messageEvents(chunk, this.calls)) {
      if (event.type === 'call-fragment') this.calls += 1;
      this.next.push(event);
    }
    if (chunk.done !== true) return;
    const usage = usageIn(chunk);
    if (usage) this.next.push(usage);
    this.next.push(endOf(chunk, this.calls > 0));
    this.closed = true;
    this.done = true;
  }

  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    if (this.closed) {
      if (this.done) this.next.end();
      return;
    }
    this.fail(fault ?? new Fault('upstream_cut_off', 'The model server ended its stream without a last line.'));
  }

  private fail(fault: Fault): void {
    this.closed = true;
    this.next.end(fault);
  }
}
