import type { PlaygroundProgress, PlaygroundResult } from '@callsmith/contracts';
import { ResponseAccumulator } from '@callsmith/turn';

type RawChoice = PlaygroundResult['raw'][number][number];
type Written = { -readonly [K in keyof RawChoice]: RawChoice[K] };

/** What a column has said so far. It is written to as events come in; `shown` is what a view takes of it. */
export class ColumnOutput {
  private answers: Written[][] = [];
  private delivered = new ResponseAccumulator();
  private result: PlaygroundResult | undefined;

  push(progress: PlaygroundProgress): void {
    switch (progress.type) {
      case 'attempt':
        this.answers.push([]);
        return;
      case 'begin':
        this.delivered = new ResponseAccumulator();
        return;
      case 'raw':
        this.addRaw(progress.event);
        return;
      case 'delivered':
        this.delivered.push(progress.event);
        return;
      case 'done':
        this.result = progress.result;
    }
  }

  shown(): ShownOutput {
    const { result } = this;
    if (result) return { raw: result.raw, delivered: result.delivered, result };
    return {
      raw: this.answers.filter(({ length }) => length > 0).map((answer) => answer.map((choice) => ({ ...choice }))),
      delivered: this.delivered.whole().choices.map((choice) => ({ ...choice, calls: [...choice.calls] })),
      result: undefined,
    };
  }

  private addRaw(event: Extract<PlaygroundProgress, { type: 'raw' }>['event']): void {
    const answer = this.answers.at(-1);
    if (!answer) return;
    let choice = answer.find((one) => one.choice === event.choice);
    if (!choice) answer.push((choice = { choice: event.choice, text: '', reasoning: '', cuts: [], fragments: [] }));
    if (event.type === 'text-delta') choice.text += event.text;
    else if (event.type === 'reasoning-delta') choice.reasoning += event.text;
    else if (event.type === 'call-fragment') {
      const { type: _, choice: __, ...fragment } = event;
      choice.fragments = [...choice.fragments, fragment];
    }
  }
}

/** What a view shows of a column: as far as it is known, `result` when it is over. */
export interface ShownOutput {
  readonly raw: PlaygroundResult['raw'];
  readonly delivered: unknown;
  readonly result: PlaygroundResult | undefined;
}
