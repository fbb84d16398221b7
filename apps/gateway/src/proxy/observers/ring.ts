import { recordedPieces, redact } from '@callsmith/data';
import type { Exchange } from '../exchange.ts';
import type { Watch } from './observer.ts';

/** What the model sent in one attempt that had to do with calls, as it came. */
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
export class Ring {
  private readonly entries: RawCalls[] = [];

  constructor(private readonly max: number) {}

  /** Newest first, secrets masked. */
  newest(limit: number): RawCalls[] {
    return this.entries
      .slice(-limit)
      .reverse()
      .map((entry) => ({ ...entry, model: redact(entry.model), chunks: recordedPieces(entry.chunks) }));
  }

  clear(): void {
    this.entries.length = 0;
  }

  readonly watch: Watch = (exchange) => ({
    attempt: () => {
      if (this.max === 0 || (exchange.turn?.tools.size ?? 0) === 0) return undefined;
      const chunks: unknown[] = [];
      let native = false;
      let room = 8000;
      let kept = false;
      const keep = (chunk: unknown, size: number) => {
        if (room <= 0 || chunks.length >= 200) return;
        room -= size;
        chunks.push(chunk);
      };
      return {
        heard: (event) => {
          if (event.type === 'call-fragment') {
            if (!native) chunks.length = 0;
            native = true;
            const { type: _, ...fragment } = event;
            keep(fragment, typeof fragment.arguments === 'string' ? fragment.arguments.length + 20 : 200);
          } else if (event.type === 'text-delta' && !native) keep(event.text, event.text.length);
        },
        said: (event) => {
          // A text answer is kept once a call shows itself in it.
          if (kept || (event.type !== 'tool-start' && !(event.type === 'note' && event.note.class))) return;
          kept = true;
          this.add(exchange, chunks);
        },
      };
    },
  });

  private add(exchange: Exchange, chunks: readonly unknown[]): void {
    this.entries.push({
      at: new Date().toISOString(),
      requestId: exchange.requestId,
      model: exchange.model?.name ?? exchange.asked,
      upstream: exchange.route?.upstream.name,
      strategyUsed: exchange.strategyUsed,
      chunks,
    });
    if (this.entries.length > this.max) this.entries.splice(0, this.entries.length - this.max);
  }
}
