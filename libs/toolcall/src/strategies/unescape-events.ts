import type { Sink, Stage } from '@callsmith/stream';
import type { TurnEvent } from '@callsmith/turn';
import { type MarkerEscaper, wordJoiner } from './escape-markers.ts';

/**
 * Removes word joiners from escaped text that the model repeats, in content, reasoning and arguments. Runs
 * after `parseCalls` under the prompt strategy. Text without them passes unchanged and immediately; after one,
 * at most one marker's length is buffered.
 */
export const unescapeEvents =
  (escaper: MarkerEscaper): Stage<TurnEvent, TurnEvent> =>
  (next) => {
    const streams = new Map<string, Unescaper>();
    const through = (key: string, json: boolean): Unescaper => {
      const existing = streams.get(key);
      if (existing) return existing;
      const made = new Unescaper(escaper, json);
      streams.set(key, made);
      return made;
    };
    const release = (choice: number): void => {
      for (const [key, unescaper] of streams) {
        if (!key.startsWith(`${choice} `)) continue;
        emit(next, key, unescaper.end());
        streams.delete(key);
      }
    };
    return {
      push(event) {
        switch (event.type) {
          case 'text-delta':
          case 'reasoning-delta': {
            const text = through(`${event.choice} ${event.type}`, false).feed(event.text);
            if (text !== '' || event.extra) next.push(text === event.text ? event : { ...event, text });
            return;
          }
          case 'tool-delta': {
            const json = through(`${event.choice} tool ${event.index}`, true).feed(event.json);
            if (json !== '') next.push(json === event.json ? event : { ...event, json });
            return;
          }
          case 'tool-start':
          case 'turn-end':
          case 'tool-end':
            release(event.choice);
            next.push(event);
            return;
          default:
            next.push(event);
        }
      },
      flush: () => next.flush(),
      end(fault) {
        for (const [key, unescaper] of streams) emit(next, key, unescaper.end());
        next.end(fault);
      },
    };
  };

function emit(next: Sink<TurnEvent>, key: string, rest: string): void {
  if (rest === '') return;
  const [choice, type, index] = key.split(' ');
  if (type === 'tool') next.push({ type: 'tool-delta', choice: Number(choice), index: Number(index), json: rest });
  else next.push({ type: type as 'text-delta' | 'reasoning-delta', choice: Number(choice), text: rest });
}

/** One character, decoded and as it was written: in JSON `/` may be written as `\/`. */
interface Unit {
  readonly means: string;
  readonly raw: string;
}

/** Exactly undoes `MarkerEscaper.escape`, for one text that arrives in chunks. */
export class Unescaper {
  /** The last emitted character, if it could begin a marker. */
  private first = '';
  private run: Unit[] = [];
  private behind: Unit[] = [];
  /** The possible marker so far: its first character and the buffered text after it, without word joiners. */
  private seen = '';
  /** A JSON escape that is not complete yet. */
  private escape = '';

  constructor(
    private readonly escaper: MarkerEscaper,
    private readonly json: boolean,
  ) {}

  feed(text: string): string {
    if (this.idle() && this.plain(text)) {
      if (text !== '') this.remember(text.charAt(text.length - 1));
      return text;
    }
    const out: string[] = [];
    for (const unit of this.units(text)) this.take(unit, out);
    return out.join('');
  }

  /** The rest of the buffer, with all word joiners in it. */
  end(): string {
    const out: string[] = [];
    while (this.run.length > 0) this.settle(false, out);
    const rest = out.join('') + this.escape;
    this.escape = '';
    return rest;
  }

  private idle(): boolean {
    return this.run.length === 0 && this.escape === '';
  }

  /** Nothing to remove, and no escape that could be a word joiner or is incomplete. */
  private plain(text: string): boolean {
    if (text.includes(wordJoiner)) return false;
    return !this.json || !(text.includes('\\u') || text.endsWith('\\') || text.at(-2) === '\\');
  }

  private remember(character: string): void {
    this.first = this.escaper.byFirst.has(character) ? character : '';
  }

  private take(unit: Unit, out: string[]): void {
    if (this.run.length === 0) {
      if (unit.means === wordJoiner && this.first !== '') {
        this.run.push(unit);
        this.seen = this.first;
        return;
      }
      out.push(unit.raw);
      // A joiner that begins no run follows no character that could begin a marker.
      if (unit.means !== wordJoiner) this.remember(unit.means);
      return;
    }
    if (unit.means === wordJoiner) {
      (this.behind.length === 0 ? this.run : this.behind).push(unit);
      return;
    }
    this.behind.push(unit);
    this.seen += unit.means;
    const verdict = this.verdict();
    if (verdict !== undefined) this.settle(verdict, out);
  }

  /** Whether the buffered text begins with a marker; `undefined` while it could. */
  private verdict(): boolean | undefined {
    const { seen } = this;
    let open = false;
    for (const marker of this.escaper.byFirst.get(this.first) ?? []) {
      if (seen.startsWith(marker)) return true;
      if (marker.startsWith(seen)) open = true;
    }
    return open ? undefined : false;
  }

  /** Emits the run, one word joiner shorter if a marker begins there, and processes what follows. */
  private settle(marker: boolean, out: string[]): void {
    const { run, behind } = this;
    this.run = [];
    this.behind = [];
    this.first = '';
    for (const unit of marker ? run.slice(1) : run) out.push(unit.raw);
    for (const unit of behind) this.take(unit, out);
  }

  private *units(text: string): Generator<Unit> {
    if (!this.json) {
      for (let at = 0; at < text.length; at += 1) yield { means: text.charAt(at), raw: text.charAt(at) };
      return;
    }
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (this.escape === '' && character !== '\\') {
        yield { means: character, raw: character };
        continue;
      }
      this.escape += character;
      const means = unescaped(this.escape);
      if (means === undefined) continue;
      const raw = this.escape;
      this.escape = '';
      yield { means, raw };
    }
  }
}

/** What a JSON escape means; `undefined` while it is incomplete. */
function unescaped(seen: string): string | undefined {
  if (seen.length < 2) return undefined;
  const kind = seen.charAt(1);
  if (kind === '/') return '/';
  if (kind !== 'u') return '\u0000';
  if (seen.length < 6) return undefined;
  const code = Number.parseInt(seen.slice(2), 16);
  return Number.isNaN(code) ? '\u0000' : String.fromCharCode(code);
}
