import type { Sink } from '@callsmith/stream';
import type { Fault, UpstreamEvent } from '@callsmith/turn';

/** Characters that are parsed between two looks at the clock. */
const sliceLength = 4 * 1024;
/**
 * Milliseconds of parsing after which the event loop runs. With the slice that is then still being parsed it stays
 * below 50 ms.
 */
const turnMs = 20;

/** How `PacedEvents` controls the sender of its events. */
export interface FeedControl {
  /** The sender should stop. Events that come all the same are queued. */
  pause(): void;
  resume(): void;
  /** Some slices were parsed, and their output was flushed. */
  sliceDone(): void;
  failed(error: unknown): void;
}

/**
 * Passes events to the parser without blocking the event loop for long. Most events are passed on immediately. A long
 * text, of a whole response or of one large event, is parsed in slices, between which the event loop runs: a megabyte
 * of a hostile text takes up to 300 ms. The same is done with many small events of one read once they have taken too
 * long.
 */
export class PacedEvents implements Sink<UpstreamEvent> {
  private queue: UpstreamEvent[] = [];
  private afterQueue: (() => void)[] = [];
  private isQueueing = false;
  /** Characters since the last look at the clock. */
  private uncheckedLength = 0;
  /** The time of the first look at the clock since the last flush. */
  private firstLookAt: number | undefined;
  /** `end` was called: the upstream sends no more. */
  ended = false;

  constructor(
    private readonly next: Sink<UpstreamEvent>,
    private readonly sender: FeedControl,
  ) {}

  push(event: UpstreamEvent): void {
    const length = lengthOf(event);
    const late = this.isLate(length);
    if (!this.isQueueing && !late && length <= sliceLength) {
      this.next.push(event);
      return;
    }
    for (const slice of slices(event)) this.queue.push(slice);
    this.start(late);
  }

  /** Like `push` for each event, but also paced if there are very many short ones. */
  pushAll(events: readonly UpstreamEvent[]): void {
    for (const event of events) for (const slice of slices(event)) this.queue.push(slice);
    this.start(false);
  }

  pushText(text: string): boolean {
    return !this.isQueueing && text.length <= sliceLength && this.next.pushText?.(text) === true;
  }

  flush(): void {
    this.uncheckedLength = 0;
    this.firstLookAt = undefined;
    if (!this.isQueueing) this.next.flush();
  }

  end(fault?: Fault): void {
    this.ended = true;
    this.whenParsed(() => this.next.end(fault));
  }

  /** Runs `act` when all events so far have been parsed; immediately if none is queued. */
  whenParsed(act: () => void): void {
    if (this.isQueueing) this.afterQueue.push(act);
    else act();
  }

  /** Discards the queue and what should run after it. */
  drop(): void {
    this.queue = [];
    this.afterQueue = [];
  }

  private start(late: boolean): void {
    if (this.isQueueing) return;
    this.isQueueing = true;
    if (late) this.wait();
    else this.work();
  }

  /**
   * True if the events since the last flush have taken too long. Looks at the clock once per `sliceLength` characters.
   */
  private isLate(length: number): boolean {
    this.uncheckedLength += length;
    if (this.uncheckedLength < sliceLength) return false;
    this.uncheckedLength = 0;
    const now = performance.now();
    this.firstLookAt ??= now;
    return now - this.firstLookAt >= turnMs;
  }

  /** Pauses the sender, and goes on in the next iteration of the event loop. */
  private wait(): void {
    this.next.flush();
    this.sender.sliceDone();
    this.sender.pause();
    setImmediate(this.work);
  }

  private readonly work = (): void => {
    const startedAt = performance.now();
    let done = 0;
    try {
      while (done < this.queue.length) {
        this.next.push(this.queue[done++] as UpstreamEvent);
        if (performance.now() - startedAt < turnMs) continue;
        this.queue = this.queue.slice(done);
        this.wait();
        return;
      }
      this.queue = [];
      this.isQueueing = false;
      this.flush();
      this.sender.sliceDone();
      this.sender.resume();
      for (const act of this.afterQueue.splice(0)) act();
    } catch (error) {
      this.drop();
      this.sender.failed(error);
    }
  };
}

/** The length of an event's text or arguments; 0 for events that are always short. */
function lengthOf(event: UpstreamEvent): number {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text.length;
  return event.type === 'call-fragment' && typeof event.arguments === 'string' ? event.arguments.length : 0;
}

/**
 * Splits an event into several that have at most `sliceLength` characters. Only the first keeps members such as a
 * call's name.
 */
function* slices(event: UpstreamEvent): Generator<UpstreamEvent> {
  const length = lengthOf(event);
  if (length <= sliceLength) {
    yield event;
    return;
  }
  for (let at = 0; at < length; at += sliceLength) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const text = event.text.slice(at, at + sliceLength);
      yield at === 0 ? { ...event, text } : { type: event.type, choice: event.choice, text };
    } else if (event.type === 'call-fragment') {
      const json = (event.arguments as string).slice(at, at + sliceLength);
      const { type, choice, index } = event;
      yield at === 0
        ? { ...event, arguments: json }
        : { type, choice, ...(index !== undefined && { index }), arguments: json };
    }
  }
}
