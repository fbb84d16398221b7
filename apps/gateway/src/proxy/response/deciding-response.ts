import { IntentParser, newCallId } from '@callsmith/toolcall';
import type { Fault, Finding, JsonObject, PastCall, Turn, TurnEvent, Usage } from '@callsmith/turn';
import type { ClientResponse, FlowControl } from './client-response.ts';

/** How many characters from the end of the reasoning are used as the decision of a model that wrote nothing else. */
const longestReasoning = 2000;

/**
 * The client's response while a model says which calls it wants (H-9). Its text is sent as it arrives. From the first
 * line that announces a call on, text and end are held back until the calls were written.
 */
export class DecidingResponse implements ClientResponse {
  private readonly turn: Turn;
  private reader: IntentParser;
  private reasoning = '';
  private hasCall = false;
  /** The events from the end on, while they are held back. */
  private held: TurnEvent[] = [];

  constructor(
    private readonly facing: ClientResponse,
    turn: Turn,
  ) {
    this.turn = turn;
    this.reader = this.newReader();
  }

  get summary() {
    return this.facing.summary;
  }

  get committed(): boolean {
    return this.facing.committed;
  }

  get satisfied(): boolean {
    return this.facing.satisfied;
  }

  get source(): FlowControl | undefined {
    return this.facing.source;
  }

  set source(source: FlowControl | undefined) {
    this.facing.source = source;
  }

  /** The calls that the model wants, in its words; undefined: it wants none, or made a call itself. */
  get decision(): string | undefined {
    if (this.held.length === 0) return undefined;
    return this.reader.text.trim() === '' ? this.reasoning : this.reader.text;
  }

  begin(): void {
    this.reader = this.newReader();
    this.reasoning = '';
    this.hasCall = false;
    this.held = [];
    this.facing.begin();
  }

  push(event: TurnEvent): void {
    if (this.held.length > 0) {
      this.held.push(event);
      return;
    }
    switch (event.type) {
      case 'text-delta':
        this.reader.push(event.text);
        if (event.extra) this.facing.push({ ...event, text: '' });
        return;
      case 'reasoning-delta':
        this.reasoning = (this.reasoning + event.text).slice(-longestReasoning);
        break;
      case 'tool-start':
        this.hasCall = true;
        this.reader.end();
        break;
      case 'turn-end':
        this.reader.end();
        if (event.reason === 'stop' && !this.hasCall && this.wantsCall()) {
          this.held.push(event);
          return;
        }
        // The decision is incomplete, or the model made a call itself.
        this.emitText(this.reader.withheld);
        break;
      default:
    }
    this.facing.push(event);
  }

  pushText(): boolean {
    return false;
  }

  flush(): void {
    this.facing.flush();
  }

  note(note: Finding): void {
    this.facing.note(note);
  }

  passFrame(frame: string): void {
    this.facing.passFrame(frame);
  }

  passWhole(whole: JsonObject): void {
    this.facing.passWhole(whole);
  }

  passUsage(usage: Usage): void {
    this.facing.passUsage(usage);
  }

  end(fault?: Fault): void {
    this.facing.end(fault);
  }

  /** Sends the calls that the other model wrote, and the end. */
  call(calls: readonly Pick<PastCall, 'name' | 'arguments'>[]): void {
    for (const [index, { name, arguments: json }] of calls.entries()) {
      this.facing.push({ type: 'tool-start', choice: 0, index, id: newCallId(), name });
      this.facing.push({ type: 'tool-delta', choice: 0, index, json });
      this.facing.push({ type: 'tool-end', choice: 0, index, whole: true });
    }
    this.release('tool_calls');
  }

  /** Sends the held text and the end: no calls were written. */
  answer(): void {
    this.emitText(this.reader.withheld);
    this.release('stop');
  }

  private release(reason: 'tool_calls' | 'stop'): void {
    for (const event of this.held) this.facing.push(event.type === 'turn-end' ? { ...event, reason } : event);
    this.held = [];
    this.facing.flush();
  }

  private wantsCall(): boolean {
    const { reader, turn, reasoning } = this;
    if (reader.intent !== '' || turn.toolChoice !== 'auto') return true;
    return reader.text.trim() === '' && reasoning.trim() !== '';
  }

  private newReader(): IntentParser {
    return new IntentParser(this.turn.tools, (text) => this.emitText(text));
  }

  private emitText(text: string): void {
    if (text !== '') this.facing.push({ type: 'text-delta', choice: 0, text });
  }
}
