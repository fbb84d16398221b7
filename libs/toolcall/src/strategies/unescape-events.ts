import type { Sink, Stage } from '@callsmith/stream';
import type { TurnEvent } from '@callsmith/turn';
import { type MarkerEscaper, wordJoiner } from './escape-markers.ts';

/**
 * Takes joiners out of what the model says again, content, reasoning and arguments alike (D-14). Stands behind
 * `readCalls` where the prompt strategy is used. Text without joiners passes as it is, at once; behind a joiner at
 * most one marker's length is held.
 */
export const unescapeEvents =
  (neutraliser: MarkerEscaper): Stage<TurnEvent, TurnEvent> =>
  (next) => {
    const streams = new Map<string, Restorer>();
    const through = (key: string, json: boolean): Restorer => {
      const there = streams.get(key);
      if (there) return there;
      const made = new Restorer(neutraliser, json);
      streams.set(key, made);
      return made;
    };
    const release = (choice: number): void => {
      for (const [key, restorer] of streams) {
        if (!key.startsWith(`${choice} `)) continue;
        say(next, key, restorer.end());
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
        for (const [key, restorer] of streams) say(next, key, restorer.end());
        next.end(fault);
      },
    };
  };

function say(next: Sink<TurnEvent>, key: string, rest: string): void {
  if (rest === '') return;
  const [choice, type, index] = key.split(' ');
  if (type === 'tool') next.push({ type: 'tool-delta', choice: Number(choice), index: Number(index), json: rest });
  else next.push({ type: type as 'text-delta' | 'reasoning-delta', choice: Number(choice), text: rest });
}

/** One character as it is meant, and as it stood there: in JSON `/` may stand as `\/`. */
interface Unit {
  readonly means: string;
  readonly raw: string;
}

/** Gives back one text, piece by piece, exactly as `Neutraliser.restore` gives back the whole. */
export class Restorer {
  /** The last character that went out, if it could begin a marker. */
  private first = '';
  private run: Unit[] = [];
  private behind: Unit[] = [];
  /** The held place as a marker would be written: its first character and what is behind, without joiners. */
  private said = '';
  /** A JSON escape whose end has not come. */
  private escape = '';

  constructor(
    private readonly neutraliser: MarkerEscaper,
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

  /** What is still held, with every joiner in it. */
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

  /** Nothing to take out, and no escape that could be a joiner or that the end cuts. */
  private plain(text: string): boolean {
    if (text.includes(wordJoiner)) return false;
    return !this.json || !(text.includes('\\u') || text.endsWith('\\') || text.at(-2) === '\\');
  }

  private remember(character: string): void {
    this.first = this.neutraliser.byFirst.has(character) ? character : '';
  }

  private take(unit: Unit, out: string[]): void {
    if (this.run.length === 0) {
      if (unit.means === wordJoiner && this.first !== '') {
        this.run.push(unit);
        this.said = this.first;
        return;
      }
      out.push(unit.raw);
      // A joiner that begins no run stands before nothing that counts.
      if (unit.means !== wordJoiner) this.remember(unit.means);
      return;
    }
    if (unit.means === wordJoiner) {
      (this.behind.length === 0 ? this.run : this.behind).push(unit);
      return;
    }
    this.behind.push(unit);
    this.said += unit.means;
    const verdict = this.verdict();
    if (verdict !== undefined) this.settle(verdict, out);
  }

  /** Does a marker begin at the held place? `undefined` while it could still. */
  private verdict(): boolean | undefined {
    const { said } = this;
    let open = false;
    for (const marker of this.neutraliser.byFirst.get(this.first) ?? []) {
      if (said.startsWith(marker)) return true;
      if (marker.startsWith(said)) open = true;
    }
    return open ? undefined : false;
  }

  /** Lets the run go, one joiner shorter if a marker begins there, and reads on behind it. */
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

/** What a JSON escape means; `undefined` while its end has not come. */
function unescaped(said: string): string | undefined {
  if (said.length < 2) return undefined;
  const kind = said.charAt(1);
  if (kind === '/') return '/';
  if (kind !== 'u') return '\u0000';
  if (said.length < 6) return undefined;
  const code = Number.parseInt(said.slice(2), 16);
  return Number.isNaN(code) ? '\u0000' : String.fromCharCode(code);
}
