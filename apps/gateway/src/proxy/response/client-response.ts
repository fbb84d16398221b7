import type { InboundAdapter, ResponseHead } from '@callsmith/protocols';
import type { Sink } from '@callsmith/stream';
import type { Fault, Folded, JsonObject, Turn, TurnEvent } from '@callsmith/turn';
import type { StreamReply } from './stream-reply.ts';

/**
 * The answer that faces the client. Several attempts may feed it one after the other, as long as nothing of what the
 * next would replace has gone out.
 */
export interface ClientResponse {
  /** Text, reasoning or a call has gone out: no other attempt may take over (D-23). */
  readonly committed: boolean;
  /** The one call that a client without parallel calls wanted is out: nothing more is needed. */
  readonly satisfied: boolean;
  push(event: TurnEvent): void;
  flush(): void;
  /** As a sink's. */
  pushText?(text: string): boolean;
  /** The client's own form of text, for turns that pass untouched; `said` if it holds more than a head. */
  passFrame(text: string, said: boolean): void;
  /** A whole answer in the client's own form, for turns that pass untouched. */
  passWhole(whole: JsonObject): void;
  /** The end. With a fault: as an HTTP error while that is possible, else as an event in the stream. */
  end(fault?: Fault): void;
}

/** Sends an error as an HTTP answer. */
export type SendFault = (fault: Fault) => void;

/** Streams. */
export class StreamResponse implements ClientResponse {
  committed = false;
  satisfied = false;
  private readonly speak: Sink<TurnEvent>;
  private readonly started = new Set<number>();
  private passing = false;
  private done = false;

  constructor(
    private readonly front: InboundAdapter,
    private readonly turn: Turn,
    private readonly head: ResponseHead,
    private readonly reply: StreamReply,
    private readonly sendFault: SendFault,
  ) {
    this.speak = front.streamFrames(turn, head)(reply);
  }

  push(event: TurnEvent): void {
    switch (event.type) {
      case 'note':
        return;
      case 'turn-start':
        if (this.started.has(event.choice)) return;
        this.started.add(event.choice);
        this.reply.open();
        break;
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-start':
        this.committed = true;
        break;
      case 'tool-end':
        if (event.whole && !this.turn.parallel && this.turn.n === 1) this.satisfied = true;
        break;
      default:
    }
    this.speak.push(event);
  }

  flush(): void {
    this.reply.flush();
  }

  pushText(text: string): boolean {
    if (!this.speak.pushText?.(text)) return false;
    this.committed = true;
    return true;
  }

  passFrame(text: string, said: boolean): void {
    if (said) this.committed = true;
    this.passing = true;
    this.reply.push(text);
  }

  passWhole(): void {}

  end(fault?: Fault): void {
    if (this.done) return;
    this.done = true;
    if (fault === undefined) {
      // What passed untouched has brought its own last frames.
      if (this.passing) this.reply.end();
      else this.speak.end();
    } else if (this.reply.opened) {
      this.reply.push(this.front.errorFrames(fault, this.head));
      this.reply.end();
    } else this.sendFault(fault);
  }
}

/** Answers whole. */
export class WholeResponse implements ClientResponse {
  readonly committed = false;
  readonly satisfied = false;
  private passed: JsonObject | undefined;
  private done = false;

  constructor(
    private readonly front: InboundAdapter,
    private readonly turn: Turn,
    private readonly head: ResponseHead,
    private readonly folded: () => Folded,
    private readonly sendWhole: (body: JsonObject) => void,
    private readonly sendFault: SendFault,
  ) {}

  push(): void {}

  flush(): void {}

  passFrame(): void {}

  passWhole(whole: JsonObject): void {
    this.passed = whole;
  }

  end(fault?: Fault): void {
    if (this.done) return;
    this.done = true;
    if (fault) this.sendFault(fault);
    else this.sendWhole(this.passed ?? this.front.wholeResponse(this.turn, this.head, this.folded()));
  }
}
