import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InFlight } from './in-flight.ts';

/** How fast a request's body must arrive (D-39). */
export interface BodyTimes {
  /** This many bytes must arrive in each window, in milliseconds, or the body's end. */
  readonly bytes: number;
  readonly windowMs: number;
  /** The whole body must have arrived by then. */
  readonly wholeMs: number;
}

const bodyTimes: BodyTimes = { bytes: 64 * 1024, windowMs: 10_000, wholeMs: 300_000 };

declare module 'fastify' {
  interface FastifyRequest {
    bodyWatch: BodyDeadline | undefined;
  }
}

/** A request whose body has not arrived completely. */
export class BodyDeadline {
  /** By `clock`; undefined: no longer watched. */
  slot: number | undefined;
  /** Answers a body that times out; without it, or if the connection stays open, the connection is closed. */
  onTimeout: (() => void) | undefined;
  private readonly wholeBy: number;
  private windowEnd: number;
  private bytesBefore: number;
  private hasTimedOut = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly times: BodyTimes,
    now: number,
  ) {
    this.wholeBy = now + times.wholeMs;
    this.windowEnd = now + times.windowMs;
    this.bytesBefore = request.socket.bytesRead;
  }

  /** Checks the body's progress; false: it needs no further checks. */
  check(now: number): boolean {
    const { request, times } = this;
    if (request.complete || request.destroyed) return false;
    if (now < this.windowEnd && now < this.wholeBy) return true;
    const { bytesRead } = request.socket;
    if (!this.hasTimedOut && now < this.wholeBy && bytesRead - this.bytesBefore >= times.bytes) {
      this.bytesBefore = bytesRead;
      this.windowEnd = now + times.windowMs;
      return true;
    }
    if (this.hasTimedOut || this.onTimeout === undefined) {
      request.socket.destroy();
      return false;
    }
    this.hasTimedOut = true;
    this.onTimeout();
    return true;
  }
}

/** Ends requests whose bodies arrive too slowly: each occupies a connection and memory. */
export class BodyTimeouts {
  private readonly watches = new InFlight<BodyDeadline>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly times: BodyTimes = bodyTimes) {
    this.timer = setInterval(() => this.look(), Math.min(1000, times.windowMs / 4)).unref();
  }

  /**
   * Called when a request's head has arrived. Undefined: it has no body, or no connection, as with injected requests in
   * tests.
   */
  begin(request: IncomingMessage): BodyDeadline | undefined {
    const { headers } = request;
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return undefined;
    if (typeof request.socket.destroy !== 'function') return undefined;
    const watch = new BodyDeadline(request, this.times, performance.now());
    watch.slot = this.watches.add(watch);
    return watch;
  }

  end(watch: BodyDeadline): void {
    if (watch.slot === undefined) return;
    this.watches.remove(watch.slot);
    watch.slot = undefined;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    for (const watch of this.watches.all()) if (!watch.check(now)) this.end(watch);
  }
}

/** Watches the bodies of all routes. */
export function watchBodies(fastify: FastifyInstance, times?: BodyTimes): void {
  const clock = new BodyTimeouts(times);
  fastify.decorateRequest('bodyWatch', undefined);
  fastify.addHook('onRequest', (request: FastifyRequest, _reply, done) => {
    request.bodyWatch = clock.begin(request.raw);
    done();
  });
  fastify.addHook('preValidation', (request: FastifyRequest, _reply, done) => {
    if (request.bodyWatch) clock.end(request.bodyWatch);
    done();
  });
  fastify.addHook('onClose', async () => clock.stop());
}
