import type { PlainEvents } from '@callsmith/protocols';
import type { Stage } from '@callsmith/stream';
import type { PlainText } from '@callsmith/toolcall';
import { standsInJson, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import type { Listener } from '../observers/index.ts';
import type { RequestRecord } from '../record/request-record.ts';
import type { ClientResponse } from '../response/client-response.ts';

/** So many pieces wait until observers are told: what they do for each is then done many times in a row. */
const mostUntold = 64;

/** Where plain text goes. */
export interface FastPathParts {
  readonly exchange: Pick<RequestRecord, 'summary' | 'delivered'>;
  readonly answer: Pick<ClientResponse, 'push' | 'flush' | 'plain'>;
  readonly heard: readonly Listener<UpstreamEvent>[];
  readonly said: readonly Listener<TurnEvent>[];
}

/**
 * The short way of plain text. Most events of a stream say a piece of text in which no call can begin and are like the
 * one before but for that piece: it is cut out of the bytes and goes to the client past the stages that read whatever
 * may come. What the client gets is the same byte for byte, and everyone who hears or keeps it is told the same, a
 * little later: at the latest before anything else happens.
 *
 * `enter` stands before the first stage. The stages tell by `events` and `text` what they know; where one does not, all
 * goes the long way.
 */
export class FastPath {
  /** What the model server's events look like. */
  events: PlainEvents | undefined;
  /** What reads the calls in their text. */
  text: PlainText | undefined;
  /** Said since the last flush, by the short way alone. */
  private said = '';
  /** Something went the long way since the last flush: what follows must not overtake it. */
  private long = false;
  /** The stages hold no beginning of an event. */
  private clean = false;
  /** What observers have not been told yet: what was heard, and what was said of it. */
  private untoldHeard: string[] = [];
  private untoldSaid: string[] = [];

  constructor(private readonly parts: FastPathParts) {}

  readonly enter: Stage<Uint8Array, Uint8Array> = (next) => ({
    push: (bytes) => {
      if (this.clean && !this.long && this.take(bytes)) return;
      this.release();
      this.long = true;
      this.clean = endsEvent(bytes);
      next.push(bytes);
    },
    flush: () => {
      if (this.long) {
        this.long = false;
        next.flush();
      } else if (this.said !== '') this.send();
    },
    end: (fault) => {
      this.release();
      next.end(fault);
    },
  });

  /** Takes a chunk that is one plain event; false if it is to go the long way. */
  private take(bytes: Uint8Array): boolean {
    const piece = this.events?.text((bytes as Buffer).toString('latin1'));
    if (piece === undefined) return false;
    const said = this.text?.hear(piece);
    if (said === undefined) return false;
    if (this.untoldHeard.push(piece) >= mostUntold) this.tell();
    this.said = this.said === '' ? said : this.said + said;
    return true;
  }

  private send(): void {
    const { answer } = this.parts;
    const text = this.said;
    this.said = '';
    // White space that waited before the text may not stand in JSON as it is.
    if (!standsInJson(text) || !answer.plain?.(text)) {
      answer.push({ type: 'text-delta', choice: 0, text });
      answer.flush();
    }
    this.untoldSaid.push(text);
  }

  /** Tells observers what they have not been told yet. To be called before the answer is looked at, too. */
  tell(): void {
    const { heard, said, exchange } = this.parts;
    for (const text of this.untoldHeard) for (const ear of heard) ear({ type: 'text-delta', choice: 0, text });
    this.untoldHeard = [];
    for (const text of this.untoldSaid) {
      const event = { type: 'text-delta', choice: 0, text } as const;
      for (const ear of said) ear(event);
      exchange.summary.add(event);
      exchange.delivered.push(event);
    }
    this.untoldSaid = [];
  }

  /** What was said goes before what comes the long way. */
  private release(): void {
    if (this.untoldHeard.length > 0) this.tell();
    if (this.said === '') return;
    this.text?.say(this.said);
    this.said = '';
  }
}

/** True if the bytes end with the empty line behind an event. */
const endsEvent = (bytes: Uint8Array): boolean =>
  bytes[bytes.length - 1] === lineFeed && bytes[bytes.length - 2] === lineFeed;

const lineFeed = 0x0a;
