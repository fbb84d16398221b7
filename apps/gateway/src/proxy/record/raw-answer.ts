import type { RawChoice } from '@callsmith/data/record';
import { append, type UpstreamEvent } from '@callsmith/turn';

type CallFragment = Extract<UpstreamEvent, { type: 'call-fragment' }>;

/** The model's raw output in one attempt. Written by `upstream/`. */
export class RawAnswer {
  private readonly choices = new Map<
    number,
    { text: string; reasoning: string; cuts: number[]; fragments: CallFragment[] }
  >();

  readonly upstreamEvent = (event: UpstreamEvent): void => {
    switch (event.type) {
      case 'text-delta': {
        const choice = this.choice(event.choice);
        choice.text = append(choice.text, event.text);
        choice.cuts.push(choice.text.length);
        return;
      }
      case 'reasoning-delta': {
        const choice = this.choice(event.choice);
        choice.reasoning = append(choice.reasoning, event.text);
        return;
      }
      case 'call-fragment':
        this.choice(event.choice).fragments.push(event);
        return;
      default:
    }
  };

  raw(): RawChoice[] {
    return [...this.choices].map(([choice, { fragments, ...output }]) => ({
      choice,
      ...output,
      fragments: fragments.map(({ type: _, choice: __, ...fragment }) => fragment),
    }));
  }

  private choice(index: number) {
    let choice = this.choices.get(index);
    if (choice === undefined) this.choices.set(index, (choice = { text: '', reasoning: '', cuts: [], fragments: [] }));
    return choice;
  }
}
