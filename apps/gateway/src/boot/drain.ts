import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { InFlight } from '../in-flight.ts';

/** Time limit for other requests: live pages of the dashboard never end by themselves. */
const OTHERS_MS = 500;
/** Time limit for accepting waiting connections, in case they keep coming. */
const ACCEPT_MS = 1_000;
/**
 * An event loop iteration this short ran nothing else, so almost no connection can have arrived since its last poll.
 */
const IDLE_TURN_MS = 1;

/** The running requests. */
export interface RunningRequests {
  /** Running requests of inference routes. */
  readonly size: number;
  /** From now on every response closes its connection, so that a load balancer keeps none for later use. */
  endConnections(): void;
  /** Stops accepting connections, waits for running requests, for inference at most `ms`, and aborts the rest. */
  drain(ms: number): Promise<void>;
}

/** Tracks running requests, so that a stop can wait for them. Call it before the server listens. */
export function followRequests(server: Server): RunningRequests {
  const active = new InFlight<ServerResponse>();
  let accepted = 0;
  let ending = false;
  server.on('connection', () => {
    accepted++;
  });
  server.prependListener('request', (_request, response) => {
    if (ending) response.shouldKeepAlive = false;
    const slot = active.add(response);
    response.once('close', () => active.remove(slot));
  });
  const running = (isMeant: (request: IncomingMessage) => boolean) => active.all().filter(({ req }) => isMeant(req));
  const wait = async (isMeant: (request: IncomingMessage) => boolean, ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until && running(isMeant).length > 0; )
      await sleep(20);
    for (const response of running(isMeant)) response.destroy();
  };
  // The kernel resets connections that it completed and that this process has not accepted yet. A load balancer answers
  // those requests with 502, since it may not retry a POST. Node accepts one connection per loop iteration.
  const acceptWaiting = async () => {
    await turn(); // ends the current loop iteration, which may have polled for connections long ago
    for (const until = performance.now() + ACCEPT_MS; performance.now() < until; ) {
      const [before, began] = [accepted, performance.now()];
      await turn();
      if (accepted === before && performance.now() - began < IDLE_TURN_MS) return;
    }
  };
  const endConnections = () => {
    ending = true;
    for (const response of active.all()) response.shouldKeepAlive = false;
  };
  return {
    get size() {
      return running(isInference).length;
    },
    endConnections,
    async drain(ms) {
      endConnections();
      server.closeIdleConnections();
      await acceptWaiting();
      server.close();
      await Promise.all([wait(isInference, ms), wait((request) => !isInference(request), OTHERS_MS)]);
      server.closeAllConnections();
    },
  };
}

const isInference = (request: IncomingMessage): boolean => /^\/(?:v1|llm|proxy)\//.test(request.url ?? '');
