import type { Fault, Finding, Turn, TurnEvent } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { FlowControl } from './client-response.ts';

/** The common part of all responses: they record what is sent, and end once. */
export abstract class SummarizedResponse {
  committed = false;
  satisfied = false;
  source: FlowControl | undefined;
  private done = false;

  constructor(
    protected readonly turn: Turn,
    readonly summary: ResponseSummary,
  ) {}

  begin(): void {
    this.summary.begin();
  }

  note(note: Finding): void {
    this.summary.count({ type: 'note', choice: 0, note });
  }

  end(fault?: Fault): void {
    if (fault) this.summary.fail(fault);
    if (this.done) return;
    this.done = true;
    this.close(fault);
  }

  protected abstract close(fault: Fault | undefined): void;

  /** Of a stream: what was sent is final. */
  protected commit(event: TurnEvent): void {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-start')
      this.committed = true;
    else if (event.type === 'tool-end' && event.whole && !this.turn.parallel && this.turn.n === 1)
      this.satisfied = true;
  }
}
