import { engineFailure, parseReply, rejectedCall } from '@callsmith/protocols';
import { CollectedBytes, type Sink } from '@callsmith/stream';
import type { UnusableAnswer } from '@callsmith/toolcall';
import { Fault, type FaultCode, type Turn, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
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
import type { Receiver, Sending, UpstreamClient } from './upstream-client.ts';
import { withoutKey } from './without-key.ts';

/**
 * Sends one upstream request and feeds its reply to the job's response. Resolves when the reply is over, with why it
 * came to nothing; undefined where it was good, or nobody waits for it any more. `fresh`: on a connection of its own.
 * `correctable`: an answer without a usable call where one was meant is held back, to be asked for again or let out.
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
    // When whatever else has come meanwhile has had its turn.
    if (job.turn.stream) setImmediate(() => attempt.expectStream());
  });
}

/** How one attempt is made. */
export interface AttemptOptions {
  readonly prepared: PreparedRequest;
  readonly fresh: boolean;
  readonly correctable: boolean;
  /** Absent: what the job's log says. */
  readonly purpose?: 'correction';
}

/** JSON lines are a stream only where the API has them and one was asked for: a whole reply may be called the same. */
const isStream = (contentType: string, { adapter, turn }: PreparedRequest): boolean =>
  adapter.framing === 'lines'
    ? turn.stream && /^application\/(?:x-)?(?:ndjson|json-?l(?:ines)?)\b/.test(contentType)
    : contentType.startsWith('text/event-stream');

/** A failure with what the engine means by it, and what it was about. */
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

/** A grammar holds what the model may write. */
const isConstrained = ({ toolChoice, tools, sampling }: Turn): boolean =>
  sampling.response_format !== undefined ||
  (tools.size > 0 &&
    (toolChoice === 'required' || typeof toolChoice === 'object' || tools.list.some(({ strict }) => strict === true)));

/** The largest whole reply that is read. */
const maxWhole = 32 * 1024 * 1024;
/**
 * The most members that a reply may have: as many as the probabilities of a few thousand tokens, which are parsed in
 * 150 ms. And the most different names of them: each costs ten times as much as one that was there before.
 */
const members = { members: 1_000_000, names: 100_000 };
/** A whole reply beyond this is read in several turns of the event loop. */
const longReply = 1024 * 1024;
/** Milliseconds of work for one stream after which others have their turn. */
const turnMs = 20;
/** The largest error reply that is read; an engine's error may hold its model's whole call. */
const maxError = 4 * 1024 * 1024;

/**
 * What becomes of one upstream request's reply: an event stream goes through the pipe as it comes, a whole reply is
 * collected and goes through the pipe's second half, an error reply becomes a fault. It ends once: well, or with the reason why not.
 */
class Attempt implements Receiver {
  sending: Sending | undefined;
  private over = false;
  /** The engine's error about its model's call has been read as that call. */
  private rescued = false;
  private status = 0;
  private headers: ReplyHeaders = {};
  private readonly request: PreparedRequest;
  private readonly pipe: ReturnType<typeof responsePipe>;
  /** Where a stream's bytes go, made before they come. */
  private prepared: Sink<Uint8Array> | undefined;
  private stream: Sink<Uint8Array> | undefined;
  /** Where events go, in the middle of the pipe. */
  private events: PacedEvents | undefined;
  /** Where the payloads of a turn go whose frames pass through. */
  private frames: Sink<string> | undefined;
  /** Frames that pass through ended at their bound. */
  private isCut = false;
  /** The client reads slower than the model writes. */
  private clientIsSlow = false;
  /** What has come already is still being parsed. */
  private isBehind = false;
  /** Others have their turn. */
  private isResting = false;
  /** Milliseconds of work since others had their turn. */
  private workedMs = 0;
  /** For the client, who may read slower than the model writes. */
  readonly flow = {
    pause: (): void => {
      this.clientIsSlow = true;
      this.sending?.pause();
    },
    resume: (): void => {
      this.clientIsSlow = false;
      this.goOn();
    },
  };
  /** A whole reply, or one that is an error. */
  private whole: CollectedBytes | undefined;
  /** Bytes of frames that passed through. */
  private passedBytes = 0;

  constructor(
    private readonly job: CompletionJob,
    { prepared, correctable }: AttemptOptions,
    private readonly sent: UpstreamRequest,
    private done: (result: AttemptFailure | UnusableReply | undefined) => void,
  ) {
    this.request = prepared;
    const { log, record, observers } = job;
    const listeners = observers.attempt();
    // A correction quotes what the model wrote.
    log.raw = correctable || keepsBodies(record.request) ? new RawAnswer() : undefined;
    const parse = prepared.parse(correctable ? (answer) => this.withheld(answer) : undefined);
    const upstreamEvent = log.raw ? [log.raw.upstreamEvent, ...listeners.upstreamEvent] : listeners.upstreamEvent;
    this.pipe = responsePipe({ adapter: prepared.adapter, parse }, { ...listeners, upstreamEvent });
  }

  /** Makes ready for a stream while the model server is at work: its first token is not to wait for that. */
  expectStream(): void {
    if (!this.over && this.stream === undefined) this.prepared = this.openStream();
  }

  /** Nobody waits for the answer any more. */
  cancel(): void {
    if (this.over) return;
    this.over = true;
    this.events?.drop();
    this.sending?.abort();
    this.done(undefined);
  }

  started(status: number, headers: ReplyHeaders): void {
    this.status = status;
    this.sent.status = status;
    this.headers = headers;
    if (!isGood(status) || !isStream(mediaType(headers['content-type']), this.request)) return;
    this.stream = this.prepared ?? this.openStream();
  }

  data(bytes: Uint8Array): void {
    if (this.stream === undefined && this.isUnnamedStream(bytes)) this.stream = this.prepared ?? this.openStream();
    if (this.stream === undefined) {
      this.collect(bytes);
      return;
    }
    const begun = performance.now();
    this.job.timing.firstByteAt ??= begun;
    this.sent.firstByteAt ??= begun;
    try {
      this.stream.push(bytes);
      if (this.frames) this.countPassed(bytes.length);
      else if (this.job.response.satisfied) this.stopEarly();
    } catch (error) {
      this.broke(error);
    }
    this.workedMs += performance.now() - begun;
    if (this.workedMs > turnMs) this.rest();
  }

  /** Reads no more until others have had their turn: what a socket holds is read at one go, of which each part is work. */
  private rest(): void {
    this.workedMs = 0;
    if (this.over || this.isResting) return;
    this.isResting = true;
    this.sending?.pause();
    setImmediate(() => {
      this.isResting = false;
      this.goOn();
    });
  }

  private goOn(): void {
    if (!this.clientIsSlow && !this.isBehind && !this.isResting) this.sending?.resume();
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
      if (this.stream) this.stream.end();
      else this.endWhole();
    } catch (error) {
      this.broke(error);
    }
  }

  failed({ fault, kind }: SendFailure): void {
    const { response } = this.job;
    // What was read so far still goes out, and a call that is cut is dropped, before the fault goes out.
    const { stream, events } = this;
    const fail = (): void => {
      if (stream && response.committed && !this.request.passthrough) stream.end(fault);
      this.fail({ fault, kind });
    };
    if (events) events.behind(fail);
    else fail();
  }

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
        this.isBehind = true;
        this.sending?.pause();
      },
      resume: () => {
        if (!this.isBehind) return;
        this.isBehind = false;
        this.goOn();
      },
      sliceDone: () => {
        if (this.job.response.satisfied) this.stopEarly();
      },
      failed: (error) => this.broke(error),
    });
    return this.events;
  }

  /** D-39: frames that pass through end at their bound as at the model's own limit of tokens. */
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

  /** A stream that was asked for, from a server that calls it text, or nothing: clients read it for what it is. */
  private isUnnamedStream(bytes: Uint8Array): boolean {
    const { adapter, turn } = this.request;
    if (this.whole !== undefined || !turn.stream || adapter.framing === 'lines' || !isGood(this.status)) return false;
    return /^\ufeff?(?:(?:data|event|id|retry):|:)/.test(Buffer.from(bytes.subarray(0, 16)).toString('utf8'));
  }

  private collect(bytes: Uint8Array): void {
    this.whole ??= new CollectedBytes({ bytes: isGood(this.status) ? maxWhole : maxError, members });
    this.whole.push(Buffer.from(bytes));
    const excess = this.whole.isTooLong ? `${this.whole.size} bytes` : this.whole.tooManyMembers;
    if (excess === undefined) return;
    const { upstream } = this.request.target;
    const fault = new Fault('upstream_invalid_answer', `${upstream} sent a response of more than ${excess}.`);
    this.fail({ fault, kind: 'answer' });
  }

  private endWhole(): void {
    this.job.timing.firstByteAt = performance.now();
    this.sent.firstByteAt = this.job.timing.firstByteAt;
    const bytes = this.whole?.whole() ?? Buffer.alloc(0);
    const steps = this.readWhole(bytes);
    if (bytes.length > longReply) this.inTurns(steps);
    else while (!steps.next().done);
  }

  /** Does a step in each turn of the event loop. */
  private inTurns(steps: Iterator<void>): void {
    try {
      if (!this.over && !steps.next().done) setImmediate(() => this.inTurns(steps));
    } catch (error) {
      this.broke(error);
    }
  }

  /** Reads a whole reply, in steps each of which takes its time where the reply is long. */
  private *readWhole(bytes: Buffer): Generator<void> {
    const text = bytes.toString('utf8');
    if (!isGood(this.status)) {
      this.refused(text);
      return;
    }
    for (const listen of this.pipe.listeners.payload) listen(text);
    yield;
    const whole = parseReply(text);
    if (whole === undefined) {
      this.refused(text);
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

  /** An error reply; one that carries its model's own unreadable call is that call's turn, not an outage. */
  private refused(body: string): void {
    const raw = this.status >= 500 ? rejectedCall(body) : undefined;
    if (raw !== undefined) {
      this.parseRejected(raw);
      return;
    }
    const { adapter, target } = this.request;
    const wrong = isGood(this.status);
    const fault = adapter.toFault({ status: this.status, headers: plain(this.headers), body }, target);
    this.fail({ fault, kind: wrong ? 'garbage' : 'status', status: wrong ? 502 : this.status, body });
  }

  /** What the engine could not read as a call is read by us, as the text that it is. */
  private parseRejected(raw: string): void {
    this.job.response.note({ class: 'EngineRejected', stage: 'upstream', detail: `HTTP ${this.status}` });
    this.events = undefined;
    this.pushAll(eventsOfRejected(raw));
  }

  private pushAll(events: readonly UpstreamEvent[]): void {
    const sink = this.eventSink();
    sink.pushAll(events);
    sink.flush();
    sink.end();
  }

  /** D-19: one whole call is all that was wanted, so the rest is not waited for. */
  private stopEarly(): void {
    if (this.over || this.events === undefined) return;
    this.sending?.abort();
    this.events.drop();
    this.events.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
    this.events.end();
  }

  /** Where the pipe ends: with what the client gets. */
  private readonly end: Sink<TurnEvent> = {
    push: (event) => this.job.response.push(event),
    pushText: (text) => this.job.response.pushText(text),
    flush: () => this.job.response.flush(),
    end: (fault) => {
      const raw = fault?.origin === 'upstream' ? rejectedCall(fault.message) : undefined;
      if (fault === undefined) this.finish();
      else if (raw === undefined || this.rescued) this.fail(this.inStream(fault));
      else {
        this.rescued = true;
        this.parseRejected(raw);
      }
    },
  };

  /** Where frames end that pass through as they come. */
  private readonly frameEnd: Sink<string> = {
    push: (frame) => this.job.response.passFrame(frame),
    flush: () => this.job.response.flush(),
    end: (fault) => (fault ? this.fail(this.inStream(fault)) : this.finish()),
  };

  /**
   * What a fault behind a good status means: an engine's error before any output is the error reply that it would have
   * been, had the engine not answered too early.
   */
  private inStream(fault: Fault): AttemptFailure {
    if (this.job.response.committed || !engineErrorCodes.has(fault.code)) return { fault, kind: 'answer' };
    return { fault, kind: 'status', status: fault.status, body: JSON.stringify({ error: { message: fault.message } }) };
  }

  /** Nobody above would catch what went wrong here: it ends this attempt, not the process. */
  private broke(error: unknown): void {
    const fault = error instanceof Fault ? error : new Fault('internal_error', undefined, { cause: error });
    this.fail({ fault, kind: 'answer' });
  }

  /** The answer has ended, and is held back. */
  private withheld(answer: UnusableAnswer): void {
    if (this.over) return;
    this.finish({
      answer,
      release: () => {
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
    // At a bound there is more to come, which nobody reads. Else the connection is kept for the next request.
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

/** An engine's raw call as the turn that it would have been: bare arguments are a call without a name, all else is text. */
const eventsOfRejected = (raw: string): UpstreamEvent[] => [
  { type: 'turn-start', choice: 0, id: '', model: '', createdAt: 0 },
  raw.trimStart().startsWith('{')
    ? { type: 'call-fragment', choice: 0, index: 0, arguments: raw }
    : { type: 'text-delta', choice: 0, text: raw },
  { type: 'turn-end', choice: 0, reason: 'stop' },
];

/** The codes of faults that are an engine's own error objects. */
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

/** Names of media types are the same in any case. */
const mediaType = (header: string | string[] | undefined): string => first(header).toLowerCase();

const plain = (headers: ReplyHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, first(value)]));
