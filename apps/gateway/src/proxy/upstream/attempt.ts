import { engineFailure, parseReply, rejectedCall } from '@callsmith/protocols';
import { afterOthers, CollectedBytes, type Sink } from '@callsmith/stream';
import { toolOfArguments, type UnusableAnswer } from '@callsmith/toolcall';
import { Fault, type FaultCode, type Turn, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import { decodeUtf8 } from '../../decode-utf8.ts';
import { keepsBodies } from '../observers/index.ts';
import type { UpstreamRequest } from '../record/attempt-log.ts';
import { RawAnswer } from '../record/raw-answer.ts';
import { type AttemptFailure, asFailure, type UnusableReply } from './attempt-failure.ts';
import { type CompletionJob, defaultAnswerBounds } from './completion-job.ts';
import { endRequest } from './end-request.ts';
import { observePassthrough, observeWhole } from './observe-passthrough.ts';
import { PacedEvents } from './paced-events.ts';
import { type PreparedRequest, parametersOf } from './prepare-request.ts';
import { payloadPipe, responsePipe } from './response-pipe.ts';
import type { SendFailure } from './send-failure.ts';
import type { ReplyHeaders } from './transport/transport.ts';
import type { Receiver, RequestHandle, UpstreamClient } from './upstream-client.ts';
import { withoutKey } from './without-key.ts';

/**
 * Sends one upstream request and passes the response on to the job's `response`. Resolves when that is over: with the
 * failure, with a response that is held back, or with undefined if all went well or the client has disconnected.
 * Rejects with errors that are no `Fault`.
 */
export async function runAttempt(
  client: UpstreamClient,
  job: CompletionJob,
  options: AttemptOptions,
): Promise<AttemptFailure | UnusableReply | undefined> {
  const { prepared, fresh } = options;
  const { signal, timing, response, record } = job;
  const route = record.attempts.route;
  if (route === undefined) throw new Error('an attempt without a route');
  try {
    const waited = client.admit(route.upstream, signal);
    if (typeof waited !== 'number') timing.waitedMs += await waited;
  } catch (error) {
    if (signal.aborted) return undefined;
    return asFailure(error);
  }
  response.begin();
  const { log, observers } = job;
  const request: UpstreamRequest = {
    purpose: options.purpose ?? log.purpose,
    route,
    sentAt: performance.now(),
  };
  log.requests.push(request);
  return new Promise((resolve) => {
    const attempt = new Attempt(job, options, request, (result) => {
      endRequest(request, result);
      signal.removeEventListener('abort', cancel);
      if (result && 'answer' in result) {
        resolve({ ...result, release: () => explain(result.release()) });
        return;
      }
      resolve(explain(result));
    });
    const explain = (failure: AttemptFailure | undefined): AttemptFailure | undefined => {
      if (failure) withoutKey(failure.fault, route.upstream);
      return failure && explained(failure, prepared);
    };
    const cancel = (): void => attempt.cancel();
    signal.addEventListener('abort', cancel);
    timing.firstByteAt = undefined;
    const { path, atRoot, json: body } = prepared;
    const headers = observers.upstreamRequest(request, job.headers);
    attempt.sending = client.send(route.upstream, { path, atRoot, body, headers, fresh }, attempt);
    response.source = attempt.flow;
    timing.requestSentAt ??= performance.now();
    // After the I/O that is already queued, so that this work delays no other request.
    if (job.turn.stream) setImmediate(() => attempt.expectStream());
  });
}

/** The options of one attempt. */
export interface AttemptOptions {
  readonly prepared: PreparedRequest;
  /** Sends it on a new connection. */
  readonly fresh: boolean;
  /** Holds back a response without a usable call where one was intended, to be corrected or released (D-35). */
  readonly correctable: boolean;
  /** By default the purpose in the job's log. */
  readonly purpose?: 'correction';
}

/**
 * Whether a response is a stream, by its content type. JSON lines count only if the API streams in them and a stream
 * was requested: a whole response may have the same content type.
 */
const isStream = (contentType: string, { adapter, turn }: PreparedRequest): boolean =>
  adapter.framing === 'lines'
    ? turn.stream && /^application\/(?:x-)?(?:ndjson|json-?l(?:ines)?)\b/.test(contentType)
    : contentType.startsWith('text/event-stream');

/** Adds to a failure what the engine reports as its cause, if it does, and the request that was sent. */
function explained(failure: AttemptFailure, prepared: PreparedRequest): AttemptFailure {
  const engine = engineFailure(failure, prepared.constrained !== undefined || isConstrained(prepared.turn));
  return {
    ...failure,
    sent: {
      parameters: parametersOf(prepared),
      body: prepared.json,
      turn: prepared.turn,
      constrained: prepared.constrained !== undefined,
    },
    ...(engine && { engine }),
  };
}

/**
 * Whether the request itself makes the engine constrain its output: by a response format, a required call or strict
 * tools.
 */
const isConstrained = ({ toolChoice, tools, sampling }: Turn): boolean =>
  sampling.response_format !== undefined ||
  (tools.size > 0 &&
    (toolChoice === 'required' || typeof toolChoice === 'object' || tools.list.some(({ strict }) => strict === true)));

/** The largest whole response that is read, in bytes. */
const maxWhole = 32 * 1024 * 1024;
/**
 * The most members that a whole response may have, and the most different names among them. They are parsed
 * in 100 ms, and collecting garbage may take as long. Log probabilities have at most 170 per token; a new name costs ten
 * times as much as a known one.
 */
const members = { members: 600_000, names: 100_000 };
/** A whole response of more bytes than this is parsed in several iterations of the event loop. */
const longReply = 1024 * 1024;
/** Milliseconds of work on one stream after which it yields to the event loop. */
const turnMs = 20;
/** The largest error response that is read, in bytes. An engine's error may quote the model's whole call. */
const maxError = 4 * 1024 * 1024;

/**
 * Receives the response to one upstream request. An event stream goes through the pipe as it arrives. A whole response
 * is collected, parsed, and enters the pipe in its middle as events. An error response becomes a failure. `done` is
 * called once, with the result.
 */
class Attempt implements Receiver {
  sending: RequestHandle | undefined;
  private over = false;
  /** An engine's error about the model's call was parsed as that call already, which is done once. */
  private parsedRejected = false;
  /** That error, if it is not certain which tool the call is for: the response contains nothing else to send. */
  private rejection: AttemptFailure | undefined;
  private status = 0;
  private headers: ReplyHeaders = {};
  private readonly request: PreparedRequest;
  private readonly correctable: boolean;
  private readonly pipe: ReturnType<typeof responsePipe>;
  /** The entry of the pipe for a stream, built before the first byte arrives. */
  private preparedStream: Sink<Uint8Array> | undefined;
  private stream: Sink<Uint8Array> | undefined;
  /** The entry for events, in the middle of the pipe. */
  private events: PacedEvents | undefined;
  /** The entry for payloads whose frames pass through to the client; undefined if the response is parsed. */
  private frames: Sink<string> | undefined;
  /** Passthrough ended at its byte limit, before the upstream's end. */
  private isCut = false;
  /** The client reads slower than the model writes, so that reading is paused. */
  private clientIsSlow = false;
  /** The parser is behind what was read, so that reading is paused. */
  private parserIsBehind = false;
  /** Reading is paused until the next iteration of the event loop. */
  private isYielding = false;
  /** Milliseconds of work since this stream last yielded to the event loop. */
  private workMs = 0;
  /** Lets the client's connection pause the reading of the upstream's. */
  readonly flow = {
    pause: (): void => {
      this.clientIsSlow = true;
      this.sending?.pause();
    },
    resume: (): void => {
      this.clientIsSlow = false;
      this.resumeReading();
    },
  };
  /** The bytes of a response that is not a stream: a whole one or an error. */
  private collected: CollectedBytes | undefined;
  /** How many bytes passed through. */
  private passedBytes = 0;

  constructor(
    private readonly job: CompletionJob,
    { prepared, correctable }: AttemptOptions,
    private readonly requestLog: UpstreamRequest,
    private done: (result: AttemptFailure | UnusableReply | undefined) => void,
  ) {
    this.request = prepared;
    this.correctable = correctable;
    const { log, record, observers } = job;
    const listeners = observers.attempt();
    // A correction quotes the model's output, so that it is kept even where bodies are not recorded.
    log.raw = correctable || keepsBodies(record.request) ? new RawAnswer() : undefined;
    const parse = prepared.parse(correctable ? (answer) => this.withheld(answer) : undefined);
    const upstreamEvent = log.raw ? [log.raw.upstreamEvent, ...listeners.upstreamEvent] : listeners.upstreamEvent;
    this.pipe = responsePipe({ adapter: prepared.adapter, parse }, { ...listeners, upstreamEvent });
  }

  /**
   * Builds the pipe for a stream while the model server is still working, so that the first token need not wait for it.
   */
  expectStream(): void {
    if (!this.over && this.stream === undefined) this.preparedStream = this.openStream();
  }

  /** Aborts the upstream request: the client has disconnected, or the gateway stops. The result is undefined. */
  cancel(): void {
    if (this.over) return;
    this.over = true;
    this.events?.drop();
    this.sending?.abort();
    this.done(undefined);
  }

  started(status: number, headers: ReplyHeaders): void {
    this.status = status;
    this.requestLog.status = status;
    this.headers = headers;
    if (!isGood(status) || !isStream(mediaType(headers['content-type']), this.request)) return;
    this.stream = this.preparedStream ?? this.openStream();
  }

  data(bytes: Uint8Array): void {
    if (this.stream === undefined && this.isUnnamedStream(bytes))
      this.stream = this.preparedStream ?? this.openStream();
    if (this.stream === undefined) {
      this.collect(bytes);
      return;
    }
    const begun = performance.now();
    this.job.timing.firstByteAt ??= begun;
    this.requestLog.firstByteAt ??= begun;
    try {
      this.stream.push(bytes);
      if (this.frames) this.countPassed(bytes.length);
      else if (this.job.response.satisfied) this.stopEarly();
    } catch (error) {
      this.failWith(error);
    }
    this.workMs += performance.now() - begun;
    if (this.workMs > turnMs) this.yieldToEventLoop();
  }

  /**
   * Stops reading until the next iteration of the event loop. Otherwise all that the socket has buffered would be
   * processed at once, while other requests wait.
   */
  private yieldToEventLoop(): void {
    this.workMs = 0;
    if (this.over || this.isYielding) return;
    this.isYielding = true;
    this.sending?.pause();
    setImmediate(() => {
      this.isYielding = false;
      this.resumeReading();
    });
  }

  /** Reads on, unless one of the reasons to pause still holds. */
  private resumeReading(): void {
    if (!this.clientIsSlow && !this.parserIsBehind && !this.isYielding) this.sending?.resume();
  }

  /** Sends what one read of the socket brought to the client in one piece. */
  flush(): void {
    if (this.over || this.stream === undefined) return;
    try {
      this.stream.flush();
    } catch (error) {
      this.failWith(error);
    }
  }

  ended(): void {
    try {
      if (this.stream) this.stream.end();
      else this.endWhole();
    } catch (error) {
      this.failWith(error);
    }
  }

  failed({ fault, kind }: SendFailure): void {
    const { response } = this.job;
    // First what was read so far goes out, without a call that is incomplete, and then the fault.
    const { stream, events } = this;
    const fail = (): void => {
      if (stream && response.committed && !this.request.passthrough) stream.end(fault);
      this.fail({ fault, kind });
    };
    if (events) events.whenParsed(fail);
    else fail();
  }

  /** Builds the pipe for a stream, or for passthrough, and returns its entry. */
  private openStream(): Sink<Uint8Array> {
    const { job, pipe } = this;
    const { passthrough } = this.request;
    const { turn, head } = job;
    if (!passthrough || !turn.stream) return pipe.bytes(this.eventSink());
    const listeners = [...pipe.listeners.payload, observePassthrough(job)];
    this.frames = passthrough.stream(turn, head, () => job.response.summary.usage !== undefined)(this.frameEnd);
    return payloadPipe(listeners)(this.frames);
  }

  private eventSink(): PacedEvents {
    this.events ??= new PacedEvents(this.pipe.events(this.end), {
      pause: () => {
        this.parserIsBehind = true;
        this.sending?.pause();
      },
      resume: () => {
        if (!this.parserIsBehind) return;
        this.parserIsBehind = false;
        this.resumeReading();
      },
      sliceDone: () => {
        if (this.job.response.satisfied) this.stopEarly();
      },
      failed: (error) => this.failWith(error),
    });
    return this.events;
  }

  /**
   * Ends passthrough at its byte limit (D-39), with the finish reason `length`, as if the model had reached its token
   * limit.
   */
  private countPassed(bytes: number): void {
    this.passedBytes += bytes;
    const { turn, response, bounds = defaultAnswerBounds } = this.job;
    if (this.over || this.passedBytes <= bounds.frames) return;
    response.note({
      class: 'Truncated',
      stage: 'upstream',
      detail: `the response was ended at ${bounds.frames} bytes of frames`,
    });
    const choices = Array.from({ length: turn.n }, (_, index) => ({ index, delta: {}, finish_reason: 'length' }));
    this.isCut = true;
    this.frames?.push(JSON.stringify({ object: 'chat.completion.chunk', choices }));
    this.frames?.end();
  }

  /**
   * Whether a response is a requested event stream although its content type does not say so, judged by its first
   * bytes. Some servers send `text/plain` or no content type, and clients parse such a stream all the same.
   */
  private isUnnamedStream(bytes: Uint8Array): boolean {
    const { adapter, turn } = this.request;
    if (this.collected !== undefined || !turn.stream || adapter.framing === 'lines' || !isGood(this.status))
      return false;
    return /^\ufeff?(?:(?:data|event|id|retry):|:)/.test(Buffer.from(bytes.subarray(0, 16)).toString('utf8'));
  }

  private collect(bytes: Uint8Array): void {
    const most = isGood(this.status) ? maxWhole : maxError;
    this.collected ??= new CollectedBytes({ bytes: most, members });
    this.collected.push(Buffer.from(bytes));
    const excess = this.collected.isTooLong ? `${most / 1024 / 1024} MiB` : this.collected.tooManyMembers;
    if (excess === undefined) return;
    const { upstream } = this.request.target;
    const fault = new Fault('upstream_invalid_answer', `${upstream} sent a response of more than ${excess}.`);
    this.fail({ fault, kind: 'answer' });
  }

  /** Processes a whole response after its last byte. */
  private endWhole(): void {
    this.job.timing.firstByteAt = performance.now();
    this.requestLog.firstByteAt = this.job.timing.firstByteAt;
    const bytes = this.collected?.whole() ?? Buffer.alloc(0);
    const steps = this.readWhole(bytes);
    if (bytes.length > longReply) this.inTurns(steps);
    else while (!steps.next().done);
  }

  /** Runs one step per iteration of the event loop. */
  private inTurns(steps: Iterator<void>): void {
    try {
      if (!this.over && !steps.next().done) afterOthers(() => this.inTurns(steps));
    } catch (error) {
      this.failWith(error);
    }
  }

  /** Processes a whole response, in steps between which the event loop may run. */
  private *readWhole(bytes: Buffer): Generator<void> {
    const text = decodeUtf8(bytes);
    if (!isGood(this.status)) {
      this.handleError(text);
      return;
    }
    for (const listen of this.pipe.listeners.payload) listen(text);
    yield;
    const whole = parseReply(text);
    if (whole === undefined) {
      this.handleError(text);
      return;
    }
    yield;
    const { job, request } = this;
    try {
      const events = request.adapter.toEvents(whole);
      yield;
      if (!request.passthrough || job.turn.stream) {
        this.pushAll(events);
        return;
      }
      for (const event of events) observeWhole(event, job.response.summary);
      yield;
      job.response.passWhole(request.passthrough.whole(whole, job.head));
      this.finish();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.fail({ ...this.inStream(error), body: text });
    }
  }

  /**
   * Handles an error response. If the engine failed because it could not parse the model's call, and quotes that call,
   * the call is parsed here instead of failing.
   */
  private handleError(body: string): void {
    const { adapter, target } = this.request;
    const wrong = isGood(this.status);
    const fault = adapter.toFault({ status: this.status, headers: plain(this.headers), body }, target);
    const failure: AttemptFailure = {
      fault,
      kind: wrong ? 'garbage' : 'status',
      status: wrong ? 502 : this.status,
      body,
    };
    const raw = this.status >= 500 ? rejectedCall(body) : undefined;
    if (raw === undefined) this.fail(failure);
    else this.parseRejected(raw, failure);
  }

  /**
   * Parses the text of a call that the engine could not parse. Fails the attempt with the engine's error if it is not
   * certain which tool the call is for, unless it can be corrected.
   */
  private parseRejected(raw: string, failure: AttemptFailure): void {
    const { job } = this;
    job.response.note({ class: 'EngineRejected', stage: 'upstream', detail: `HTTP ${this.status}` });
    if (isArguments(raw) && !toolOfArguments(raw, job.turn.tools)) {
      if (!this.correctable) {
        this.fail(failure);
        return;
      }
      this.rejection = failure;
    }
    this.events = undefined;
    this.pushAll(eventsOfRejected(raw));
  }

  private pushAll(events: readonly UpstreamEvent[]): void {
    const sink = this.eventSink();
    sink.pushAll(events);
    sink.flush();
    sink.end();
  }

  /** Ends the response early (D-19): one complete call is all that was requested. */
  private stopEarly(): void {
    if (this.over || this.events === undefined) return;
    this.sending?.abort();
    this.events.drop();
    this.events.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
    this.events.end();
  }

  /** The end of the pipe: passes events to the client's response. */
  private readonly end: Sink<TurnEvent> = {
    push: (event) => this.job.response.push(event),
    pushText: (text) => this.job.response.pushText(text),
    flush: () => this.job.response.flush(),
    end: (fault) => {
      const raw = fault?.origin === 'upstream' ? rejectedCall(fault.message) : undefined;
      if (fault === undefined) this.finish();
      else if (raw === undefined || this.parsedRejected) this.fail(this.inStream(fault));
      else {
        this.parsedRejected = true;
        this.parseRejected(raw, this.inStream(fault));
      }
    },
  };

  /** The end of passthrough: passes frames to the client's response. */
  private readonly frameEnd: Sink<string> = {
    push: (frame) => this.job.response.passFrame(frame),
    flush: () => this.job.response.flush(),
    end: (fault) => (fault ? this.fail(this.inStream(fault)) : this.finish()),
  };

  /**
   * The failure for a fault that was found in a response with a good status. As long as nothing was sent to the client,
   * an engine's error object counts as the error response that the engine would have sent had it not committed to a
   * status before.
   */
  private inStream(fault: Fault): AttemptFailure {
    if (this.job.response.committed || !engineErrorCodes.has(fault.code)) return { fault, kind: 'answer' };
    return { fault, kind: 'status', status: fault.status, body: JSON.stringify({ error: { message: fault.message } }) };
  }

  /** Fails the attempt with an error thrown in a callback, where no caller could catch it and the process would end. */
  private failWith(error: unknown): void {
    const fault = error instanceof Fault ? error : new Fault('internal_error', undefined, { cause: error });
    this.fail({ fault, kind: 'answer' });
  }

  /**
   * Ends the attempt with a response that is held back. `release` lets it through the rest of the pipe, which ends the
   * attempt a second time: then `done` only notes the failure. The engine's error is released as that error.
   */
  private withheld(answer: UnusableAnswer): void {
    if (this.over) return;
    this.finish({
      answer,
      release: () => {
        if (this.rejection) return this.rejection;
        let failure: AttemptFailure | undefined;
        this.over = false;
        this.done = (result) => {
          if (result && 'fault' in result) failure = result;
        };
        answer.release();
        return failure;
      },
    });
  }

  private finish(unusable?: UnusableReply): void {
    if (this.over) return;
    this.over = true;
    this.events?.drop();
    // At a limit the upstream would send more, which is not read. Otherwise the connection is kept for the next request.
    if (this.isCut || this.events?.ended === false) this.sending?.abort();
    this.done(unusable);
  }

  private fail(failure: AttemptFailure): void {
    if (this.over) return;
    this.over = true;
    this.events?.drop();
    this.sending?.abort();
    this.done(failure);
  }
}

/**
 * The events of a call that an engine quotes in its error: a JSON object counts as the arguments of a call without a
 * name, anything else as text.
 */
const eventsOfRejected = (raw: string): UpstreamEvent[] => [
  { type: 'turn-start', choice: 0, id: '', model: '', createdAt: 0 },
  isArguments(raw)
    ? { type: 'call-fragment', choice: 0, index: 0, arguments: raw }
    : { type: 'text-delta', choice: 0, text: raw },
  { type: 'turn-end', choice: 0, reason: 'stop' },
];

const isArguments = (raw: string): boolean => raw.trimStart().startsWith('{');

/** The codes of faults that are made from an engine's error objects. */
const engineErrorCodes: ReadonlySet<FaultCode> = new Set([
  'upstream_error',
  'upstream_rejected',
  'upstream_rate_limited',
  'upstream_timeout',
  'context_length_exceeded',
]);

const isGood = (status: number): boolean => status >= 200 && status < 300;

const first = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? (header[0] ?? '') : (header ?? '');

/** The media type in lower case, as its names are case-insensitive. */
const mediaType = (header: string | string[] | undefined): string => first(header).toLowerCase();

const plain = (headers: ReplyHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, first(value)]));
