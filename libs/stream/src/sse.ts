import { Fault } from '@callsmith/turn';
import type { Stage } from './stage.ts';

/** The largest event that is believed, in UTF-16 units. */
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
    /** The start of a line whose end has not come. */
    let held: string[] = [];
    let heldLength = 0;
    let data: string | undefined;
    let name = '';
    let first = true;
    let afterReturn = false;
    let over = false;

    function dispatch(): void {
      if (data !== undefined) next.push(name === 'error' ? asError(data) : data);
      data = undefined;
      name = '';
    }

    function line(text: string, start: number, end: number): void {
      if (start === end) {
        dispatch();
        return;
      }
      if (text.startsWith('data:', start)) {
        const value = text.slice(text.charCodeAt(start + 5) === space && start + 5 < end ? start + 6 : start + 5, end);
        data = data === undefined ? value : `${data}\n${value}`;
        return;
      }
      if (text.startsWith('event:', start)) name = text.slice(start + 6, end).trim();
      else if (text.slice(start, end) === 'data') data = data === undefined ? '' : `${data}\n`;
    }

    function lines(text: string): void {
      let start = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        line(text, start, end);
        start = end + 1;
      }
      held = start < text.length ? [text.slice(start)] : [];
      heldLength = text.length - start;
    }

    /** Line ends as `\n`, also where `\r` and `\n` came in different reads. */
    function plain(text: string): string {
      const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
      afterReturn = text.endsWith('\r');
      return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
    }

    /** The payload, where a text is one event of one data line and nothing waits for its rest: as nearly every one is. */
    function onlyPayload(text: string): string | undefined {
      if (first || afterReturn || heldLength > 0 || data !== undefined || name !== '') return undefined;
      const end = text.length - 2;
      const isOne =
        text.startsWith('data: ') && text.indexOf('\n') === end && text.endsWith('\n') && !text.includes('\r');
      return isOne ? text.slice(6, end) : undefined;
    }

    function feed(raw: string): void {
      const text = plain(first && raw.startsWith('\uFEFF') ? raw.slice(1) : raw);
      first = false;
      held.push(text);
      heldLength += text.length;
      if (text.includes('\n')) lines(held.length === 1 ? text : held.join(''));
    }

    return {
      push(text) {
        if (over || text === '') return;
        const payload = onlyPayload(text);
        if (payload !== undefined) {
          next.push(payload);
          return;
        }
        feed(text);
        if (heldLength + (data?.length ?? 0) <= limit) return;
        over = true;
        held = [];
        next.end(
          new Fault('upstream_invalid_answer', `The model server sent an event of more than ${limit} characters.`),
        );
      },
      flush: () => next.flush(),
      end(fault) {
        if (over) return;
        if (fault === undefined) feed('\n\n');
        next.end(fault);
      },
    };
  };

const space = 0x20;

function asError(payload: string): string {
  if (payload.includes('"error"')) return payload;
  return `{"error":${payload.startsWith('{') ? payload : JSON.stringify(payload)}}`;
}
