import type { Fault, Finding, JsonObject, TurnEvent, Usage } from '@callsmith/turn';
import type { ClientResponse, FlowControl } from './client-response.ts';

/**
 * The client's response, fed by a second attempt: what the first one has sent stays. If text was sent, only the calls
 * of the second are used; if it has none, its text follows the first's (D-35).
 */
export class CorrectedResponse implements ClientResponse {
  private readonly textIsOut: boolean;
  private text = '';

  constructor(private readonly first: ClientResponse) {
    this.textIsOut = first.committed && hasText(first);
  }

  get summary() {
    return this.first.summary;
  }

  get committed(): boolean {
    return this.first.committed;
  }

  get satisfied(): boolean {
    return this.first.satisfied;
  }

  get source(): FlowControl | undefined {
    return this.first.source;
  }

  set source(source: FlowControl | undefined) {
    this.first.source = source;
  }

  begin(): void {
    this.text = '';
    this.summary.beginCorrection(this.committed);
  }

  push(event: TurnEvent): void {
    if (!this.textIsOut) {
      this.first.push(event);
      return;
    }
    switch (event.type) {
      case 'text-delta':
        this.text += event.text;
        return;
      // Reasoning would follow the text that it should precede.
      case 'reasoning-delta':
        return;
      case 'turn-end':
        this.addText();
        this.first.push(event);
        return;
      default:
        this.first.push(event);
    }
  }

  pushText(text: string): boolean {
    if (!this.textIsOut) return this.first.pushText(text);
    this.text += text;
    return true;
  }

  flush(): void {
    this.first.flush();
  }

  note(note: Finding): void {
    this.first.note(note);
  }

  passFrame(frame: string): void {
    this.first.passFrame(frame);
  }

  passWhole(whole: JsonObject): void {
    this.first.passWhole(whole);
  }

  passUsage(usage: Usage): void {
    this.first.passUsage(usage);
  }

  end(fault?: Fault): void {
    this.first.end(fault);
  }

  private addText(): void {
    const { text } = this;
    this.text = '';
    if (text.trim() === '' || this.summary.calls.length > 0) return;
    this.first.push({ type: 'text-delta', choice: 0, text: `\n\n${text}` });
  }
}

/** Text was sent, not only reasoning. */
export const hasText = ({ summary }: Pick<ClientResponse, 'summary'>): boolean =>
  summary.answer.whole().choices.some(({ text }) => text !== '');
