import type { Fault, Finding, JsonObject, TurnEvent, Usage } from '@callsmith/turn';
import type { ClientResponse, FlowControl } from './client-response.ts';

/**
 * The answer that faces the client, fed by a second try: what the first one has sent stays. Where text went out, of the
 * second only its calls are taken; if it has none, its text follows the first's (D-35).
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
      // It would stand behind the text that it comes before.
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

/** Text has gone out, and not reasoning alone. */
export const hasText = ({ summary }: Pick<ClientResponse, 'summary'>): boolean =>
  summary.answer.whole().choices.some(({ text }) => text !== '');
