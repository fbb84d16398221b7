import { Fault } from '@callsmith/turn';
import type { Sink, Stage } from './stage.ts';

/** The maximum size of an event, in UTF-16 units. */
export const maxEventLength = 4 * 1024 * 1024;

/**
 * Server-sent events to their `data:` payloads. Takes any line ending, `data:` with or without a space and several
 * data lines; drops comments, ids and event names. An `event: error` whose payload does not say `error` itself comes
 * out as `{"error":payload}`. The last event counts even without its empty line. An event beyond `limit` ends the
 * stream with a fault; what comes after that is ignored.
 *
 * `eventsource-parser` takes 8 to 30 % less CPU per event for ordinary events, and 5 s for 1 MB of line ends with one
 * carriage return among them, as its time grows with the square (3.1.1; here 10 ms). A model server's bytes are not
 * trusted that far, so its part is to be the tests' second opinion.
 */
export const sse =
  (limit: number = maxEventLength): Stage<string, string> =>
  (next) => {
    const event = new EventFields(next);
    const lines = new EventLines(event);
    let over = false;
    return {
      push(text) {
        if (over || text === '') return;
        const payload = lines.isBetweenLines && event.isEmpty ? onlyPayload(text) : undefined;
        if (payload !== undefined) {
          next.push(payload);
          return;
        }
        lines.feed(text);
        if (lines.heldLength + event.length <= limit) return;
        over = true;
        lines.drop();
        next.end(
          new Fault('upstream_invalid_answer', `The model server sent an event of more than ${limit} characters.`),
        );
      },
      flush: () => next.flush(),
      end(fault) {
        if (over) return;
        if (fault === undefined) lines.feed('\n\n');
        next.end(fault);
      },
    };
  };

/** The payload, if a text is one whole event of one data line, as nearly all are. */
function onlyPayload(text: string): string | undefined {
  const end = text.length - 2;
  const isOne = text.startsWith('data: ') && text.indexOf('\n') === end && text.endsWith('\n') && !text.includes('\r');
  return isOne ? text.slice(6, end) : undefined;
}

/** Splits text into lines, wherever its chunks end. */
class EventLines {
  /** The start of a line that is not complete yet. */
  private held: string[] = [];
  heldLength = 0;
  private isFirst = true;
  private afterReturn = false;

  constructor(private readonly event: EventFields) {}

  /** True if the next chunk begins a line. */
  get isBetweenLines(): boolean {
    return !this.isFirst && !this.afterReturn && this.heldLength === 0;
  }

  feed(piece: string): void {
    const text = this.withLineFeeds(this.isFirst && piece.startsWith('\uFEFF') ? piece.slice(1) : piece);
    this.isFirst = false;
    this.held.push(text);
    this.heldLength += text.length;
    if (text.includes('\n')) this.cut(this.held.length === 1 ? text : this.held.join(''));
  }

  drop(): void {
    this.held = [];
  }

  private cut(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.event.line(text, start, end);
      start = end + 1;
    }
    this.held = start < text.length ? [text.slice(start)] : [];
    this.heldLength = text.length - start;
  }

  /** Line endings as `\n`, also if `\r` and `\n` came in different reads. */
  private withLineFeeds(text: string): string {
    const rest = this.afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.afterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}

/** Collects the fields of one event; its empty line emits the payload. */
class EventFields {
  private data: string | undefined;
  private name = '';

  constructor(private readonly next: Pick<Sink<string>, 'push'>) {}

  get isEmpty(): boolean {
    return this.data === undefined && this.name === '';
  }

  /** UTF-16 units of its data so far. */
  get length(): number {
    return this.data?.length ?? 0;
  }

  /** Handles the line of `text` from `start` to `end`, without its line ending. */
  line(text: string, start: number, end: number): void {
    if (start === end) {
      this.dispatch();
      return;
    }
    if (text.startsWith('data:', start)) {
      const value = text.slice(text.charCodeAt(start + 5) === space && start + 5 < end ? start + 6 : start + 5, end);
      this.data = this.data === undefined ? value : `${this.data}\n${value}`;
      return;
    }
    if (text.startsWith('event:', start)) this.name = text.slice(start + 6, end).trim();
    else if (text.slice(start, end) === 'data') this.data = this.data === undefined ? '' : `${this.data}\n`;
  }

  private dispatch(): void {
    const { data, name } = this;
    this.data = undefined;
    this.name = '';
    if (data !== undefined) this.next.push(name === 'error' ? asError(data) : data);
  }
}

const space = 0x20;

function asError(payload: string): string {
  if (payload.includes('"error"')) return payload;
  return `{"error":${payload.startsWith('{') ? payload : JSON.stringify(payload)}}`;
}
