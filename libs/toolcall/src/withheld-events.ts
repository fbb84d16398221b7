import type { Sink } from '@callsmith/stream';
import type { Fault, TurnEvent, Usage } from '@callsmith/turn';

/** The held part of an answer: its events from some point on, and its end. */
export class WithheldEvents implements Sink<TurnEvent> {
  private readonly events: TurnEvent[] = [];
  private ending: { readonly fault: Fault | undefined } | undefined;

  constructor(private readonly next: Sink<TurnEvent>) {}

  /** The latest token counts among them. */
  get usage(): Usage | undefined {
    return this.events.findLast((event) => event.type === 'usage');
  }

  push(event: TurnEvent): void {
    this.events.push(event);
  }

  /** Earlier events are not held. */
  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    this.ending = { fault };
  }

  /** Emits all of it, in order. */
  release(): void {
    for (const event of this.events) this.next.push(event);
    if (this.ending) this.next.end(this.ending.fault);
  }
}
