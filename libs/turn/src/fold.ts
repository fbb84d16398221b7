import { type Finding, type FinishReason, isMcpEvent, type McpEvent, type TurnEvent, type Usage } from './events.ts';
import { copyMembers, copyNumberSources } from './exact-numbers.ts';
import { isObject, type JsonObject } from './json.ts';
import { StringBuilder } from './string-builder.ts';

/** One call of a folded response. */
export interface FoldedCall {
  readonly id: string;
  readonly name: string;
  /** All deltas joined. */
  arguments: string;
  /** False if it was cut. */
  whole: boolean;
}

/** One complete choice. */
export interface FoldedChoice {
  text: string;
  reasoning: string;
  readonly calls: FoldedCall[];
  /** Uses of MCP servers' tools, and how much text and reasoning came before them; undefined: none. */
  runs?: { readonly event: McpEvent; readonly text: number; readonly reasoning: number }[];
  reason: FinishReason | undefined;
  readonly notes: Finding[];
  /** Unknown fields of the upstream's deltas, with strings, arrays and objects joined. */
  extra?: JsonObject;
  /** Unknown fields of the choice itself. */
  ending?: JsonObject;
}

/** A whole response. */
export interface Folded {
  readonly id: string;
  readonly model: string;
  readonly createdAt: number;
  readonly choices: FoldedChoice[];
  readonly usage?: Usage;
  /** Unknown fields of the response itself. */
  readonly extra?: JsonObject;
}

/** A choice that is still arriving. Its texts are in `folded` only once they have been built. */
interface ArrivingChoice {
  readonly folded: FoldedChoice;
  readonly text: StringBuilder;
  readonly reasoning: StringBuilder;
  /** By the calls' indices. */
  readonly arguments: StringBuilder[];
}

/** Accumulates events into a whole response. */
export class ResponseAccumulator {
  private head = { id: '', model: '', createdAt: 0 };
  private readonly choices: ArrivingChoice[] = [];
  private usage: Usage | undefined;
  private extra: JsonObject | undefined;

  push(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-start':
        if (event.extra) this.addExtra(event.extra);
        if (this.head.id === '') this.head = { id: event.id, model: event.model, createdAt: event.createdAt };
        return;
      case 'usage':
        this.usage = event;
        return;
      default:
        this.intoChoice(this.choice(event.choice), event);
    }
  }

  /** The response as far as it has arrived. */
  whole(): Folded {
    return {
      choices: this.choices.map(built),
      ...this.head,
      ...(this.usage && { usage: this.usage }),
      ...(this.extra && { extra: this.extra }),
    };
  }

  private addExtra(extra: JsonObject): void {
    this.extra = copyMembers(extra, this.extra ?? empty());
  }

  private choice(index: number): ArrivingChoice {
    while (this.choices.length <= index)
      this.choices.push({
        folded: { text: '', reasoning: '', calls: [], reason: undefined, notes: [] },
        text: new StringBuilder(),
        reasoning: new StringBuilder(),
        arguments: [],
      });
    return this.choices[index] as ArrivingChoice;
  }

  private intoChoice(arriving: ArrivingChoice, event: Exclude<TurnEvent, { type: 'turn-start' | 'usage' }>): void {
    const choice = arriving.folded;
    if (event.type === 'turn-end') {
      choice.reason = event.reason;
      if (event.extra) choice.ending = event.extra;
      if (event.answer) this.addExtra(event.answer);
      return;
    }
    if (isMcpEvent(event)) {
      (choice.runs ??= []).push({ event, text: arriving.text.length, reasoning: arriving.reasoning.length });
      return;
    }
    if (event.extra) choice.extra = join(choice.extra ?? empty(), event.extra);
    switch (event.type) {
      case 'text-delta':
        arriving.text.push(event.text);
        return;
      case 'reasoning-delta':
        arriving.reasoning.push(event.text);
        return;
      case 'tool-start':
        choice.calls[event.index] = { id: event.id, name: event.name, arguments: '', whole: false };
        arriving.arguments[event.index] = new StringBuilder();
        return;
      case 'tool-delta':
        arriving.arguments[event.index]?.push(event.json);
        return;
      case 'tool-end': {
        const call = choice.calls[event.index];
        if (call) call.whole = event.whole;
        return;
      }
      case 'note':
        choice.notes.push(event.note);
    }
  }
}

/** The choice as far as it has arrived. */
function built({ folded, text, reasoning, arguments: json }: ArrivingChoice): FoldedChoice {
  folded.text = text.text();
  folded.reasoning = reasoning.text();
  for (const [index, call] of folded.calls.entries()) if (call) call.arguments = json[index]?.text() ?? '';
  return folded;
}

/** Adds the unknown fields of another delta to those before; `into` is a private copy. */
function join(into: JsonObject, more: JsonObject, depth = 0): JsonObject {
  copyNumberSources(more, into);
  for (const [key, value] of Object.entries(more)) {
    const current = into[key];
    if (typeof current === 'string' && typeof value === 'string') into[key] = current + value;
    else if (Array.isArray(current) && Array.isArray(value)) for (const item of value) current.push(item);
    else if (depth === deepest) into[key] = value;
    else if (isObject(current) && isObject(value)) join(current, value, depth + 1);
    else into[key] = Array.isArray(value) ? [...value] : isObject(value) ? join(empty(), value, depth + 1) : value;
  }
  return into;
}

/** Deeper values are taken unchanged: `logprobs.content` is two levels down. */
const deepest = 4;

/** Without a prototype, so that no key is special. */
const empty = (): JsonObject => Object.create(null) as JsonObject;

/** Folds a whole response's events into one value. */
export function fold(events: Iterable<TurnEvent>): Folded {
  const folder = new ResponseAccumulator();
  for (const event of events) folder.push(event);
  return folder.whole();
}
