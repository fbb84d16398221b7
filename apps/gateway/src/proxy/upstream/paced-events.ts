import type { Sink } from '@callsmith/stream';
import type { Fault, UpstreamEvent } from '@callsmith/turn';

/** Characters that are parsed at one go, between two looks at the clock. */
const sliceLength = 4 * 1024;
/** Milliseconds after which others have their turn: a slice more still stays within 50. */
const turnMs = 20;

/** What a long text asks of the one who feeds it. */
export interface FeedControl {
  /** Nothing more is to come for now; what comes all the same is kept. */
  pause(): void;
  resume(): void;
  /** A slice has been parsed; what came of it may go out. */
  sliceDone(): void;
  failed(error: unknown): void;
}

/**
 * Events on their way to the parser. Nearly all go through at once. A long text, of a whole answer or of one large event,
 * goes through in slices, between which the event loop has its turn: a megabyte of a hostile text takes up to 300 ms. So
 * do many small events that one read brings, once they have taken too long.
 */
export class PacedEvents implements Sink<UpstreamEvent> {
  private waiting: UpstreamEvent[] = [];
  private ending: (() => void)[] = [];
  private isWaiting = false;
  /** Characters since the clock was looked at. */
  private passed = 0;
  /** When it was looked at first since the last flush. */
  private since: number | undefined;
  /** Nothing more comes: the end has come, of itself. */
  ended = false;

  constructor(
    private readonly next: Sink<UpstreamEvent>,
    private readonly pace: FeedControl,
  ) {}

  push(event: UpstreamEvent): void {
    const length = lengthOf(event);
    const late = this.isLate(length);
    if (!this.isWaiting && !late && length <= sliceLength) {
      this.next.push(event);
      return;
    }
    for (const slice of slices(event)) this.waiting.push(slice);
    this.begin(late);
  }

  /** As `push` of each, also where there are very many. */
  pushAll(events: readonly UpstreamEvent[]): void {
    for (const event of events) for (const slice of slices(event)) this.waiting.push(slice);
    this.begin(false);
  }

  pushText(text: string): boolean {
    return !this.isWaiting && text.length <= sliceLength && this.next.pushText?.(text) === true;
  }

  flush(): void {
    this.passed = 0;
    this.since = undefined;
    if (!this.isWaiting) this.next.flush();
  }

  end(fault?: Fault): void {
    this.ended = true;
    this.behind(() => this.next.end(fault));
  }

  /** Does something when all that came has been parsed: at once, if nothing waits. */
  behind(act: () => void): void {
    if (this.isWaiting) this.ending.push(act);
    else act();
  }

  /** Nobody wants what waits any more. */
  drop(): void {
    this.waiting = [];
    this.ending = [];
  }

  private begin(late: boolean): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    if (late) this.wait();
    else this.work();
  }

  /** True if what came since the last flush has taken too long. */
  private isLate(length: number): boolean {
    this.passed += length;
    if (this.passed < sliceLength) return false;
    this.passed = 0;
    const now = performance.now();
    this.since ??= now;
    return now - this.since >= turnMs;
  }

  /** Lets others have their turn. */
  private wait(): void {
    this.next.flush();
    this.pace.sliceDone();
    this.pace.pause();
    setImmediate(this.work);
  }

  private readonly work = (): void => {
    const start = performance.now();
    let done = 0;
    try {
      while (done < this.waiting.length) {
        this.next.push(this.waiting[done++] as UpstreamEvent);
        if (performance.now() - start < turnMs) continue;
        this.waiting = this.waiting.slice(done);
        this.wait();
        return;
      }
      this.waiting = [];
      this.isWaiting = false;
      this.flush();
      this.pace.sliceDone();
      this.pace.resume();
      for (const act of this.ending.splice(0)) act();
    } catch (error) {
      this.drop();
      this.pace.failed(error);
    }
  };
}

/** Characters of an event that may be long. */
function lengthOf(event: UpstreamEvent): number {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text.length;
  return event.type === 'call-fragment' && typeof event.arguments === 'string' ? event.arguments.length : 0;
}

/** The same as several events, each of them short. */
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
