import type { FinishReason, Note, TurnEvent, Usage } from './events.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** One call of a folded answer. */
export interface FoldedCall {
  readonly id: string;
  readonly name: string;
  /** All deltas joined. */
  arguments: string;
  /** False if it was cut. */
  whole: boolean;
}

/** One choice, whole. */
export interface FoldedChoice {
  text: string;
  reasoning: string;
  readonly calls: FoldedCall[];
  reason: FinishReason | undefined;
  readonly notes: Note[];
  /** Unknown fields of the upstream's deltas, strings and arrays joined. */
  extra?: JsonObject;
}

/** A whole answer. */
export interface Folded {
  readonly id: string;
  readonly model: string;
  readonly createdAt: number;
  readonly choices: FoldedChoice[];
  readonly usage?: Usage;
}

/** Collects events into a whole answer, as they come. */
export class Folder {
  private head = { id: '', model: '', createdAt: 0 };
  private readonly choices: FoldedChoice[] = [];
  private usage: Usage | undefined;
  /** Parts of argument text by choice and index, joined once. */
  private readonly parts = new Map<FoldedCall, string[]>();

  push(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-start':
        if (this.head.id === '') this.head = { id: event.id, model: event.model, createdAt: event.createdAt };
        return;
      case 'usage':
        this.usage = event;
        return;
      default:
        this.intoChoice(this.choice(event.choice), event);
    }
  }

  whole(): Folded {
    for (const [call, parts] of this.parts) call.arguments = parts.join('');
    return { ...this.head, choices: this.choices, ...(this.usage && { usage: this.usage }) };
  }

  private choice(index: number): FoldedChoice {
    while (this.choices.length <= index)
      this.choices.push({ text: '', reasoning: '', calls: [], reason: undefined, notes: [] });
    return this.choices[index] as FoldedChoice;
  }

  private intoChoice(choice: FoldedChoice, event: Exclude<TurnEvent, { type: 'turn-start' | 'usage' }>): void {
    if (event.extra) choice.extra = joined(choice.extra ?? {}, event.extra);
    switch (event.type) {
      case 'text-delta':
        choice.text += event.text;
        return;
      case 'reasoning-delta':
        choice.reasoning += event.text;
        return;
      case 'tool-start': {
        const call: FoldedCall = { id: event.id, name: event.name, arguments: '', whole: false };
        choice.calls[event.index] = call;
        this.parts.set(call, []);
        return;
      }
      case 'tool-delta': {
        const call = choice.calls[event.index];
        if (call) this.parts.get(call)?.push(event.json);
        return;
      }
      case 'tool-end': {
        const call = choice.calls[event.index];
        if (call) call.whole = event.whole;
        return;
      }
      case 'note':
        choice.notes.push(event.note);
        return;
      case 'turn-end':
        choice.reason = event.reason;
    }
  }
}

/** Unknown fields of one more delta. */
function joined(before: JsonObject, more: JsonObject): JsonObject {
  const all = new Map<string, JsonValue | undefined>(Object.entries(before));
  for (const [key, value] of Object.entries(more)) {
    const there = all.get(key);
    if (typeof there === 'string' && typeof value === 'string') all.set(key, there + value);
    else if (Array.isArray(there) && Array.isArray(value)) all.set(key, [...there, ...value]);
    else all.set(key, value);
  }
  return Object.fromEntries(all);
}

/** Folds a whole answer's events into one value. */
export function fold(events: Iterable<TurnEvent>): Folded {
  const folder = new Folder();
  for (const event of events) folder.push(event);
  return folder.whole();
}
