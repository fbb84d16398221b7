import type { Fault, Finding, FoldedCall, FoldedChoice, JsonObject, TurnEvent, Usage } from '@callsmith/turn';
import { newResponseSummary } from '../record/response-summary.ts';
import type { ClientResponse, FlowControl } from '../response/client-response.ts';

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>;

/**
 * One round of several that feed one answer. Its text goes on to the client, in a stream as it comes; its calls, its end
 * and its token counts are held for who decides what becomes of them. What is written down of it is its own.
 */
export class RoundResponse implements ClientResponse {
  readonly summary = newResponseSummary();
  committed = false;
  satisfied = false;
  /** What it ended with; undefined: well, or not yet. */
  fault: Fault | undefined;
  private ending: TurnEnd | undefined;
  /** Of a whole answer, whose newest attempt alone counts. */
  private readonly kept: TurnEvent[] = [];
  /** What precedes its first text. */
  private separator: string;

  constructor(
    private readonly answer: ClientResponse,
    private readonly options: {
      readonly streams: boolean;
      /** At most one call. */
      readonly single: boolean;
      /** What parts its text from that of the rounds before it. */
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

  /** Its calls that are whole, in the model's order. */
  get calls(): readonly FoldedCall[] {
    return (this.choice?.calls ?? []).filter((call) => call?.whole);
  }

  /** What it said. */
  get choice(): FoldedChoice | undefined {
    return this.summary.answer.whole().choices[0];
  }

  /** Its end; undefined: it came to none. */
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

  /** The round's end, not the answer's. */
  end(fault?: Fault): void {
    if (fault) this.summary.fail(fault);
    this.fault = this.summary.fault;
    for (const event of this.kept.splice(0)) this.answer.push(event);
    // Tools may take their time: what was said before them is read meanwhile.
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
