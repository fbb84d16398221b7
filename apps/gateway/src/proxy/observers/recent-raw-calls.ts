import { recordedPieces } from '@callsmith/data/record';
import { redact } from '@callsmith/data/redaction';
import { type CallFragment, StringBuilder, type UpstreamEvent } from '@callsmith/turn';
import type { RequestRecord } from '../record/request-record.ts';
import type { ObserverFactory } from './observer.ts';

/** The model's raw output in one attempt that contains calls. */
export interface RawCalls {
  readonly at: string;
  readonly requestId: string;
  readonly model: string;
  readonly upstream: string | undefined;
  readonly strategyUsed: string | undefined;
  /** Native call fragments, or pieces of the text; at most 200 and 8 000 characters. */
  readonly chunks: readonly unknown[];
}

interface Entry extends Omit<RawCalls, 'chunks'> {
  readonly output: RawOutput;
}

/** The newest raw tool-call chunks, in memory (M-7). */
export class RecentRawCalls {
  private readonly entries: Entry[] = [];
  /** Index of the oldest, once the ring is full: the next one replaces it. */
  private oldest = 0;

  constructor(private readonly max: number) {}

  /** Newest first, secrets masked. */
  newest(limit: number): RawCalls[] {
    return [...this.entries.slice(this.oldest), ...this.entries.slice(0, this.oldest)]
      .slice(-limit)
      .reverse()
      .map(({ output, ...entry }) => ({
        ...entry,
        model: redact(entry.model),
        chunks: recordedPieces(output.chunks()),
      }));
  }

  clear(): void {
    this.entries.length = 0;
    this.oldest = 0;
  }

  readonly observerFactory: ObserverFactory = (record) => ({
    attempt: () => {
      if (this.max === 0 || (record.request.turn?.tools.size ?? 0) === 0) return undefined;
      const output = new RawOutput();
      let kept = false;
      return {
        upstreamEvent: (event) => output.push(event),
        turnEvent: (event) => {
          // A text response is kept once it contains a call.
          if (kept || (event.type !== 'tool-start' && !(event.type === 'note' && event.note.class))) return;
          kept = true;
          this.add(record, output);
        },
      };
    },
  });

  private add({ request, attempts }: RequestRecord, output: RawOutput): void {
    const entry: Entry = {
      at: new Date().toISOString(),
      requestId: request.requestId,
      model: request.model?.name ?? request.requestedModel,
      upstream: attempts.route?.upstream.name,
      strategyUsed: attempts.strategyUsed,
      output,
    };
    if (this.entries.length < this.max) this.entries.push(entry);
    else {
      this.entries[this.oldest] = entry;
      this.oldest = (this.oldest + 1) % this.max;
    }
  }
}

const mostPieces = 200;
const mostCharacters = 8000;

/**
 * The beginning of what a model wrote in one attempt. The text of its pieces is kept joined, because each piece would
 * retain the whole network read that it was cut from: with 200 pieces that was more than all else of a stream.
 */
class RawOutput {
  private readonly text = new StringBuilder();
  /** Where in `text` each piece ends. */
  private readonly ends: number[] = [];
  /** Native call fragments, without their arguments if those are in `text`. None if the pieces are text. */
  private readonly fragments: Fragment[] = [];
  private native = false;
  private room = mostCharacters;

  push(event: UpstreamEvent): void {
    if (event.type === 'call-fragment') this.pushFragment(event);
    else if (event.type === 'text-delta' && !this.native) this.keep(event.text);
  }

  /** The pieces in order. */
  chunks(): unknown[] {
    const whole = this.text.text();
    return this.ends.map((end, at) => {
      const piece = whole.slice(this.ends[at - 1] ?? 0, end);
      const fragment = this.fragments[at];
      if (fragment === undefined) return piece;
      return piece === '' ? fragment : { ...fragment, arguments: piece };
    });
  }

  private get isFull(): boolean {
    return this.room <= 0 || this.ends.length >= mostPieces;
  }

  private pushFragment({ type: _, ...fragment }: CallFragment): void {
    if (!this.native) {
      this.native = true;
      this.text.clear();
      this.ends.length = 0;
      this.room = mostCharacters;
    }
    const { arguments: value = '', ...head } = fragment;
    this.room -= 20 + (head.id?.length ?? 0) + (head.name?.length ?? 0);
    if (this.isFull) return;
    const json = typeof value === 'string' ? value : JSON.stringify(value);
    const asItIs = value === '' || (typeof value !== 'string' && json.length <= this.room);
    this.fragments.push(asItIs ? fragment : head);
    this.keep(asItIs ? '' : json, json.length);
  }

  /** Keeps a piece, of which `length` characters count, if there is room. */
  private keep(text: string, length = text.length): void {
    if (this.isFull) return;
    this.text.push(cutTo(text, this.room));
    this.ends.push(this.text.length);
    this.room -= length;
  }
}

type Fragment = Omit<CallFragment, 'type'>;

/** At most `most` long; a cut text is a copy, since a slice would retain the whole in memory. */
const cutTo = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most), 'utf16le').toString('utf16le');
