import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { InFlight } from '../in-flight.ts';

/** How long anything else may take: live pages of the dashboard never end by themselves. */
const OTHERS_MS = 500;
/** How long connections that wait for us are still taken, should there be no end of them. */
const ACCEPT_MS = 1_000;
/** A turn of the event loop in which nothing else ran: what came since its look for connections is next to nothing. */
const IDLE_TURN_MS = 1;

/** The requests in work. */
export interface RunningRequests {
  /** Those of inference routes that have not ended. */
  readonly size: number;
  /** From now on every answer ends its connection, so that a load balancer keeps none of ours for later. */
  endConnections(): void;
  /** Takes no new connections, waits for what runs, inference at most `ms`, and cuts off the rest. */
  drain(ms: number): Promise<void>;
}

/** Follows the requests in work, so that a stop can wait for them. To be called before the server listens. */
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
  // The system resets connections that it has taken for us and that we have not accepted yet. A balancer answers those
  // requests with 502, since it may not repeat a POST. Node accepts one connection a turn.
  const acceptWaiting = async () => {
    await turn(); // ends the turn that is running, which may have looked for connections long ago
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
