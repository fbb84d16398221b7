import type { Fault, Finding, FoldedCall, FoldedChoice, JsonObject, TurnEvent, Usage } from '@callsmith/turn';
import { newResponseSummary } from '../record/response-summary.ts';
import type { ClientResponse, FlowControl } from '../response/client-response.ts';

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>;

/**
 * The response of one round in agent mode. Text and reasoning are passed to the client's response, in a stream as they
 * arrive; calls, the end and token counts are kept for the agent. It has a summary of its own.
 */
export class RoundResponse implements ClientResponse {
  readonly summary = newResponseSummary();
  committed = false;
  satisfied = false;
  /** The fault that the round ended with; undefined if it ended well or has not ended. */
  fault: Fault | undefined;
  private ending: TurnEnd | undefined;
  /** The events of a whole response, kept until the round ends: only the last attempt's count. */
  private readonly kept: TurnEvent[] = [];
  /** The separator that precedes the round's first text. */
  private separator: string;

  constructor(
    private readonly answer: ClientResponse,
    private readonly options: {
      readonly streams: boolean;
      /** At most one call. */
      readonly single: boolean;
      /** The separator between the text of earlier rounds and this one's. */
      readonly separator: string;
    },
  ) {
    this.separator = options.separator;
  }

  get source(): FlowControl | undefined {
    return this.answer.source;
  }

  set source(source: FlowControl | undefined) {
    this.answer.source = source;
  }

  /** The complete calls, in the model's order. */
  get calls(): readonly FoldedCall[] {
    return (this.choice?.calls ?? []).filter((call) => call?.whole);
  }

  /** The round's only choice. */
  get choice(): FoldedChoice | undefined {
    return this.summary.answer.whole().choices[0];
  }

  /** The event that ended the round; undefined if there was none. */
  get turnEnd(): TurnEnd | undefined {
    return this.ending;
  }

  begin(): void {
    this.summary.begin();
    this.kept.length = 0;
    if (!this.committed) this.separator = this.options.separator;
    this.ending = undefined;
  }

  push(event: TurnEvent): void {
    this.summary.add(event);
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') this.separate();
        this.emit(event);
        return;
      case 'turn-start':
      case 'reasoning-delta':
        this.emit(event);
        return;
      case 'tool-end':
        if (event.whole && this.options.streams && this.options.single) this.satisfied = true;
        return;
      case 'turn-end':
        this.ending = event;
        return;
      default:
    }
  }

  pushText(text: string): boolean {
    if (!this.options.streams || this.separator !== '' || !this.answer.pushText(text)) return false;
    this.committed = true;
    this.summary.add({ type: 'text-delta', choice: 0, text });
    return true;
  }

  flush(): void {
    this.answer.flush();
  }

  note(note: Finding): void {
    this.summary.count({ type: 'note', choice: 0, note });
  }

  passFrame(_: string): void {}

  passWhole(_: JsonObject): void {}

  passUsage(_: Usage): void {}

  /** Ends the round, not the response. */
  end(fault?: Fault): void {
    if (fault) this.summary.fail(fault);
    this.fault = this.summary.fault;
    for (const event of this.kept.splice(0)) this.answer.push(event);
    // Tools may take long: the client gets the text before them now.
    this.answer.flush();
  }

  private separate(): void {
    const { separator } = this;
    if (separator === '') return;
    this.separator = '';
    this.emit({ type: 'text-delta', choice: 0, text: separator });
  }

  private emit(event: TurnEvent): void {
    if (!this.options.streams) {
      this.kept.push(event);
      return;
    }
    if (event.type !== 'turn-start') this.committed = true;
    this.answer.push(event);
  }
}
