import type { RawChoice } from '@callsmith/data/record';
import { StringBuilder, type UpstreamEvent } from '@callsmith/turn';

type CallFragment = Extract<UpstreamEvent, { type: 'call-fragment' }>;

/** One choice of it. */
interface Output {
  readonly text: StringBuilder;
  readonly reasoning: StringBuilder;
  /** The length of the text after each event. */
  readonly cuts: number[];
  readonly fragments: CallFragment[];
}

/** The model's raw output in one attempt. Written by `upstream/`. */
export class RawAnswer {
  private readonly choices = new Map<number, Output>();

  readonly upstreamEvent = (event: UpstreamEvent): void => {
    switch (event.type) {
      case 'text-delta': {
        const choice = this.choice(event.choice);
        choice.text.push(event.text);
        choice.cuts.push(choice.text.length);
        return;
      }
      case 'reasoning-delta':
        this.choice(event.choice).reasoning.push(event.text);
        return;
      case 'call-fragment':
        this.choice(event.choice).fragments.push(event);
        return;
      default:
    }
  };

  raw(): RawChoice[] {
    return [...this.choices].map(([choice, { text, reasoning, cuts, fragments }]) => ({
      choice,
      text: text.text(),
      reasoning: reasoning.text(),
      cuts,
      fragments: fragments.map(({ type: _, choice: __, ...fragment }) => fragment),
    }));
  }

  private choice(index: number): Output {
    let choice = this.choices.get(index);
    if (choice === undefined) {
      choice = { text: new StringBuilder(), reasoning: new StringBuilder(), cuts: [], fragments: [] };
      this.choices.set(index, choice);
    }
    return choice;
  }
}
