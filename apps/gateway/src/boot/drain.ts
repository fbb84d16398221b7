import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { InFlight } from '../in-flight.ts';

/** How long anything else may take: live pages of the dashboard never end by themselves. */
const OTHERS_MS = 500;

/** The requests in work. */
export interface RunningRequests {
  /** Those of inference routes that have not ended. */
  readonly size: number;
  /** Takes no new connections, waits for what runs, inference at most `ms`, and cuts off the rest. */
  drain(ms: number): Promise<void>;
}

/** Follows the requests in work, so that a stop can wait for them. To be called before the server listens. */
export function followRequests(server: Server): RunningRequests {
  const active = new InFlight<ServerResponse>();
  server.on('request', (_request, response) => {
    const slot = active.add(response);
    response.once('close', () => active.remove(slot));
  });
  const running = (isMeant: (request: IncomingMessage) => boolean) => active.all().filter(({ req }) => isMeant(req));
  const wait = async (isMeant: (request: IncomingMessage) => boolean, ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until && running(isMeant).length > 0; )
      await sleep(20);
    for (const response of running(isMeant)) response.destroy();
  };
  return {
    get size() {
      return running(isInference).length;
    },
    async drain(ms) {
      server.close();
      server.closeIdleConnections();
      await Promise.all([wait(isInference, ms), wait((request) => !isInference(request), OTHERS_MS)]);
      server.closeAllConnections();
    },
  };
}

const isInference = (request: IncomingMessage): boolean => /^\/(?:v1|llm|proxy)\//.test(request.url ?? '');
