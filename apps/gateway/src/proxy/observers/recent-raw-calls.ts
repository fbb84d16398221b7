import { recordedPieces } from '@callsmith/data/record';
import { redact } from '@callsmith/data/redaction';
import type { CallFragment } from '@callsmith/turn';
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

/** The newest raw tool-call chunks, in memory (M-7). */
export class RecentRawCalls {
  private readonly entries: RawCalls[] = [];
  /** Index of the oldest, once the ring is full: the next one replaces it. */
  private oldest = 0;

  constructor(private readonly max: number) {}

  /** Newest first, secrets masked. */
  newest(limit: number): RawCalls[] {
    return [...this.entries.slice(this.oldest), ...this.entries.slice(0, this.oldest)]
      .slice(-limit)
      .reverse()
      .map((entry) => ({ ...entry, model: redact(entry.model), chunks: recordedPieces(entry.chunks) }));
  }

  clear(): void {
    this.entries.length = 0;
    this.oldest = 0;
  }

  readonly observerFactory: ObserverFactory = (record) => ({
    attempt: () => {
      if (this.max === 0 || (record.request.turn?.tools.size ?? 0) === 0) return undefined;
      const chunks: unknown[] = [];
      let native = false;
      let room = mostCharacters;
      let kept = false;
      const keep = (text: string, chunk: (cut: string) => unknown, beside = 0) => {
        room -= beside;
        if (room <= 0 || chunks.length >= 200) return;
        chunks.push(chunk(cutTo(text, room)));
        room -= text.length;
      };
      return {
        upstreamEvent: (event) => {
          if (event.type === 'call-fragment') {
            if (!native) {
              chunks.length = 0;
              room = mostCharacters;
            }
            native = true;
            const { type: _, ...fragment } = event;
            const beside = 20 + (fragment.id?.length ?? 0) + (fragment.name?.length ?? 0);
            keep(argumentText(fragment), (cut) => withArguments(fragment, cut), beside);
          } else if (event.type === 'text-delta' && !native) keep(event.text, (cut) => cut);
        },
        turnEvent: (event) => {
          // A text response is kept once it contains a call.
          if (kept || (event.type !== 'tool-start' && !(event.type === 'note' && event.note.class))) return;
          kept = true;
          this.add(record, chunks);
        },
      };
    },
  });

  private add({ request, attempts }: RequestRecord, chunks: readonly unknown[]): void {
    const entry = {
      at: new Date().toISOString(),
      requestId: request.requestId,
      model: request.model?.name ?? request.requestedModel,
      upstream: attempts.route?.upstream.name,
      strategyUsed: attempts.strategyUsed,
      chunks,
    };
    if (this.entries.length < this.max) this.entries.push(entry);
    else {
      this.entries[this.oldest] = entry;
      this.oldest = (this.oldest + 1) % this.max;
    }
  }
}

const mostCharacters = 8000;

/** At most `most` long; a cut text is a copy, since a slice would retain the whole in memory. */
const cutTo = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most), 'utf16le').toString('utf16le');

type Fragment = Omit<CallFragment, 'type'>;

function argumentText({ arguments: value }: Fragment): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A fragment with as much of its arguments as is kept: unchanged, if that is all. */
const withArguments = (fragment: Fragment, cut: string): Fragment =>
  argumentText(fragment).length === cut.length ? fragment : { ...fragment, arguments: cut };
