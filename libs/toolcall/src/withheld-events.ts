import type { Sink } from '@callsmith/stream';
import type { Fault, TurnEvent, Usage } from '@callsmith/turn';

/** What is held back of an answer: its events from some place on, and its end. */
export class WithheldEvents implements Sink<TurnEvent> {
  private readonly events: TurnEvent[] = [];
  private ending: { readonly fault: Fault | undefined } | undefined;

  constructor(private readonly next: Sink<TurnEvent>) {}

  /** The newest token counts among them. */
  get usage(): Usage | undefined {
    return this.events.findLast((event) => event.type === 'usage');
  }

  push(event: TurnEvent): void {
    this.events.push(event);
  }

  /** What went before is not held back. */
  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    this.ending = { fault };
  }

  /** Lets all of it out, in its order. */
  release(): void {
    for (const event of this.events) this.next.push(event);
    if (this.ending) this.next.end(this.ending.fault);
  }
}
