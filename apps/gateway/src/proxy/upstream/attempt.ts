import type { Route } from '@callsmith/data/snapshot';
import type { EngineFailure, Target } from '@callsmith/protocols';
import type { Sink } from '@callsmith/stream';
import { Fault, type JsonObject, type JsonValue, parseJson, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import type { RequestRecord } from '../record/request-record.ts';
import { asFault } from '../request/as-fault.ts';
import type { ClientResponse } from '../response/client-response.ts';
import type { SendFailure } from './send-failure.ts';
import type { Receiver, Sending } from './upstream-client.ts';

/** Why an attempt came to nothing. */
export interface AttemptFailure {
  readonly fault: Fault;
  readonly kind: SendFailure['kind'] | 'status' | 'answer';
  /** HTTP status of an error reply. */
  readonly status?: number;
  /** An error reply's text. */
  readonly body?: string;
  /** The request as it went upstream, and the parameters in it. */
  readonly sent?: { readonly parameters: readonly string[]; readonly body: string };
  /** The engine's own words for it. Not an outage: another form of the request may pass. */
  readonly engine?: EngineFailure;
}

/** What an attempt is made of. */
export interface AttemptParts {
  readonly exchange: RequestRecord;
  readonly answer: ClientResponse;
  readonly target: Target;
  /** The two halves of the response path, the second ending in the attempt itself. */
  readonly parseModelOutput: (end: Sink<TurnEvent>) => Sink<UpstreamEvent>;
  readonly parseUpstream: (next: Sink<UpstreamEvent>) => Sink<Uint8Array>;
  /** Instead of both, for a turn that passes untouched. */
  readonly passthrough: PassthroughPipes | undefined;
  readonly toEvents: (whole: JsonValue) => UpstreamEvent[];
  readonly toFault: (reply: { status: number; headers: Readonly<Record<string, string>>; body: string }) => Fault;
  /** The raw text of the model's own call in an engine's error, if it carries one. */
  readonly rejectedCall: (body: string) => string | undefined;
  readonly showPayload: (text: string) => void;
  readonly done: (failure: AttemptFailure | undefined) => void;
}

/** How a turn without tools goes through. */
export interface PassthroughPipes {
  readonly stream: (end: Sink<string>) => Sink<Uint8Array>;
  readonly whole: (whole: JsonValue) => JsonObject;
}

/** The largest whole reply that is read. */
const maxWhole = 64 * 1024 * 1024;
/** The largest error reply that is read; an engine's error may hold its model's whole call. */
const maxError = 4 * 1024 * 1024;

/** One upstream request and what becomes of its reply. It ends once: well, or with why it did not. */
export class Attempt implements Receiver {
  sending: Sending | undefined;
  private over = false;
  /** The engine's complaint about its model's call has been read as that call. */
  private rescued = false;
  private status = 0;
  private headers: Readonly<Record<string, string | string[] | undefined>> = {};
  private prepared: Sink<Uint8Array> | undefined;
  private stream: Sink<Uint8Array> | undefined;
  private understood: Sink<UpstreamEvent> | undefined;
  private readonly collected: Buffer[] = [];
  private size = 0;

  constructor(private readonly parts: AttemptParts) {}

  started(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    this.status = status;
    this.headers = headers;
    if (status < 200 || status >= 300 || !textOf(headers['content-type']).startsWith('text/event-stream')) return;
    this.stream = this.prepared ?? this.prepare();
  }

  /** Makes ready for a stream while the model server is at work: its first token is not to wait for that. */
  expectStream(): void {
    if (!this.over && this.stream === undefined) this.prepared = this.prepare();
  }

  private prepare(): Sink<Uint8Array> {
    const { passthrough, parseUpstream } = this.parts;
    return passthrough && this.parts.exchange.streamed
      ? passthrough.stream(this.passedEnd)
      : parseUpstream(this.understanding());
  }

  data(bytes: Uint8Array): void {
    const { exchange, answer } = this.parts;
    if (this.stream === undefined) {
      this.collect(bytes);
      return;
    }
    exchange.firstByteAt ??= performance.now();
    try {
      this.stream.push(bytes);
      if (answer.satisfied) this.stopEarly();
    } catch (error) {
      this.broke(error);
    }
  }

  /** All that one read of the socket brings goes out together. */
  flush(): void {
    if (this.over || this.stream === undefined) return;
    try {
      this.stream.flush();
    } catch (error) {
      this.broke(error);
    }
  }

  ended(): void {
    try {
      this.endReply();
    } catch (error) {
      this.broke(error);
    }
  }

  /** Nobody above would catch what went wrong here: it ends this attempt, not the process. */
  private broke(error: unknown): void {
    this.fail({ fault: asFault(error), kind: 'answer' });
  }

  private endReply(): void {
    if (this.stream) {
      this.stream.end();
      return;
    }
    this.parts.exchange.firstByteAt = performance.now();
    const text = Buffer.concat(this.collected).toString('utf8');
    if (this.status >= 200 && this.status < 300) this.whole(text);
    else this.refused(text);
  }

  failed({ fault, kind }: SendFailure): void {
    // What was understood so far is still told, and calls that are cut are dropped, before the fault goes out.
    if (this.stream && this.parts.answer.committed && !this.parts.passthrough) this.stream.end(fault);
    this.fail({ fault, kind });
  }

  /** The client went away. */
  cancel(): void {
    if (this.over) return;
    this.over = true;
    this.sending?.abort();
    this.parts.done(undefined);
  }

  private collect(bytes: Uint8Array): void {
    this.size += bytes.length;
    this.collected.push(Buffer.from(bytes));
    if (this.size > (this.status < 300 ? maxWhole : maxError))
      this.fail({
        fault: new Fault(
          'upstream_invalid_answer',
          `${this.parts.target.upstream} sent a response of more than ${this.size} bytes.`,
        ),
        kind: 'answer',
      });
  }

  private whole(text: string): void {
    const { passthrough, answer, exchange, toEvents, showPayload } = this.parts;
    showPayload(text);
    const value = parseJson(text);
    if (value === undefined) {
      this.refused(text);
      return;
    }
    try {
      if (passthrough && !exchange.streamed) {
        answer.passWhole(passthrough.whole(value));
        this.finish();
        return;
      }
      this.told(toEvents(value));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.fail({ fault: error, kind: 'answer', status: this.status, body: text });
    }
  }

  /** An error reply; one that carries its model's own unreadable call is that call's turn, not an outage. */
  private refused(text: string): void {
    const { toFault, rejectedCall } = this.parts;
    const raw = this.status >= 500 ? rejectedCall(text) : undefined;
    if (raw !== undefined) {
      this.rejected(raw);
      return;
    }
    const wrong = this.status >= 200 && this.status < 300;
    const status = wrong ? 502 : this.status;
    const fault = toFault({ status, headers: plain(this.headers), body: text });
    this.fail({ fault, kind: wrong ? 'garbage' : 'status', status, body: text });
  }

  /** What the engine could not read as a call is read by us, as the text that it is. */
  private rejected(raw: string): void {
    const detail = `HTTP ${this.status}`;
    const note = { class: 'EngineRejected', stage: 'upstream', detail } as const;
    this.parts.exchange.summary.add({ type: 'note', choice: 0, note });
    this.understood = undefined;
    this.told(turnOf(raw));
  }

  private told(events: readonly UpstreamEvent[]): void {
    const sink = this.understanding();
    for (const event of events) sink.push(event);
    sink.flush();
    sink.end();
  }

  private understanding(): Sink<UpstreamEvent> {
    this.understood ??= this.parts.parseModelOutput(this.end);
    return this.understood;
  }

  /** D-19: one whole call is all that was wanted, so the rest is not waited for. */
  private stopEarly(): void {
    if (this.over || this.understood === undefined) return;
    this.sending?.abort();
    this.understood.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
    this.understood.end();
  }

  /** Where the response path ends: with what the client is to hear. */
  private readonly end: Sink<TurnEvent> = {
    push: (event) => {
      const { exchange, answer } = this.parts;
      exchange.summary.add(event);
      exchange.delivered.push(event);
      answer.push(event);
    },
    pushText: (text) => {
      const { exchange, answer } = this.parts;
      if (!answer.pushText?.(text)) return false;
      const event = { type: 'text-delta', choice: 0, text } as const;
      exchange.summary.add(event);
      exchange.delivered.push(event);
      return true;
    },
    flush: () => this.parts.answer.flush(),
    end: (fault) => {
      const raw = fault?.origin === 'upstream' ? this.parts.rejectedCall(fault.message) : undefined;
      if (fault === undefined) this.finish();
      else if (raw === undefined || this.rescued) this.fail({ fault, kind: 'answer' });
      else {
        this.rescued = true;
        this.rejected(raw);
      }
    },
  };

  private readonly passedEnd: Sink<string> = {
    push: (text) => this.parts.answer.passFrame(text, this.parts.exchange.summary.firstTokenAt !== undefined),
    flush: () => this.parts.answer.flush(),
    end: (fault) => (fault ? this.fail({ fault, kind: 'answer' }) : this.finish()),
  };

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.parts.done(undefined);
  }

  private fail(failure: AttemptFailure): void {
    if (this.over) return;
    this.over = true;
    this.sending?.abort();
    this.parts.done(failure);
  }
}

/** An engine's raw call as the turn that it would have been: bare arguments are a call without a name, all else is text. */
const turnOf = (raw: string): UpstreamEvent[] => [
  { type: 'turn-start', choice: 0, id: '', model: '', createdAt: 0 },
  raw.trimStart().startsWith('{')
    ? { type: 'call-fragment', choice: 0, index: 0, arguments: raw }
    : { type: 'text-delta', choice: 0, text: raw },
  { type: 'turn-end', choice: 0, reason: 'stop' },
];

const textOf = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? (header[0] ?? '') : (header ?? '');

function plain(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value)]));
}

/** Where a turn goes, as the wires know it. */
export const targetOf = ({ upstream, upstreamModel }: Route, refuses: readonly string[]): Target => ({
  upstream: upstream.name,
  kind: upstream.kind,
  baseUrl: upstream.baseUrl,
  model: upstreamModel,
  refusedParameters: refuses.length === 0 ? upstream.refuses : [...upstream.refuses, ...refuses],
});
