import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@callsmith/turn';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InFlight } from '../../in-flight.ts';
import { type ObserverFactory, Observers } from '../observers/index.ts';
import { type AbortReceiver, AbortSource } from '../record/abort-source.ts';
import { deferred } from '../record/deferred-work.ts';
import { newRecord, type RecordParts } from '../record/request-record.ts';
import { adapterOf, sendFault } from '../response/send-json.ts';
import { asFault } from './as-fault.ts';
import { clientName } from './client-name.ts';
import { forwarded } from './forwarded-headers.ts';
import { inferenceOf } from './inference-request.ts';

/** Starts and ends requests to inference routes, and ends all running ones when the gateway stops. */
export class RequestLifecycle {
  /** Running requests, by what aborts them. */
  private readonly running = new InFlight<AbortSource>();
  private stopping = false;
  private readonly stopSource = new AbortController();

  constructor(
    private readonly observerFactories: readonly ObserverFactory[],
    private readonly reportError: (error: unknown) => void,
  ) {}

  /** Aborted when the gateway begins to stop: requests without a client end immediately. */
  get stopSignal(): AbortSignal {
    return this.stopSource.signal;
  }

  /**
   * A request's head has arrived. Throws `shutting_down` if no more are accepted; its record has begun all the same.
   */
  begin(request: FastifyRequest): RecordParts {
    const record = newRecord(request.id, request.routeOptions.url ?? '', clientName(request.headers));
    record.request.traceHeaders = forwarded(request.headers);
    record.request.conversation = conversationIn(request);
    const observers = new Observers(this.observerFactories, record, this.reportError);
    request.inference = { record, observers, done: false };
    if (this.stopping) throw stopped();
    return record;
  }

  /** Runs a request so that the client's disconnect, or the gateway's stop, ends it immediately. */
  async run(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (signal: AbortReceiver) => Promise<void>,
  ): Promise<void> {
    const { raw } = reply;
    const { response } = inferenceOf(request).record;
    const source = new AbortSource();
    const hungUp = (): void => {
      if (raw.writableFinished) return;
      response.hangUp();
      source.abort();
    };
    raw.once('close', hungUp);
    if (raw.destroyed) hungUp();
    const slot = this.running.add(source);
    try {
      await work(source);
    } catch (error) {
      // Fastify ignores errors once a stream was started; a partial response must not look complete.
      if (!reply.sent) throw error;
      this.refuse(request, reply, error);
    } finally {
      this.running.remove(slot);
      raw.off('close', hungUp);
    }
    this.finish(request);
  }

  /** Answers with an error, in the form of the route's API. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const fault = asFault(error);
    const record = request.inference?.record;
    record?.response.refuse(fault);
    if (fault.code === 'internal_error') this.reportError(error);
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
    else sendFault(reply, fault, record);
    this.finish(request);
  }

  /** Lets running requests finish for at most `graceMs`, then ends them with an error event; resolves when all are over. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.stopSource.abort(stopped());
    await this.idle(graceMs);
    for (const source of this.running.all()) source.abort(stopped());
    await this.idle(1000);
    deferred.flush();
  }

  private finish({ inference }: FastifyRequest): void {
    if (inference === undefined || inference.done) return;
    inference.done = true;
    const { record, observers } = inference;
    record.response.finish();
    deferred.add(() => observers.done());
  }

  private async idle(maxWaitMs: number): Promise<void> {
    const until = performance.now() + maxWaitMs;
    while (this.running.size > 0 && performance.now() < until) await sleep(20);
  }
}

/** The client's id of its conversation, if its API has a header for that. */
function conversationIn(request: FastifyRequest): string | undefined {
  const { conversationHeader } = adapterOf(request) ?? {};
  const name = conversationHeader === undefined ? undefined : request.headers[conversationHeader];
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : undefined;
}

const stopped = (): Fault =>
  new Fault('shutting_down', 'Callsmith is shutting down; send the request again.', {
    headers: { 'retry-after': '5' },
  });
