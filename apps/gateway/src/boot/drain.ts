import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { InFlight } from '../in-flight.ts';

/** How long running streams of inference routes may take to finish after the signal to stop. */
const STREAMS_MS = 15_000;

/** How long anything else may take: live pages of the dashboard never end by themselves. */
const OTHERS_MS = 500;

/** Follows the requests in work, so that a stop can wait for them. To be called before the server listens. */
export function followRequests(server: Server): { drain(): Promise<void> } {
  const active = new InFlight<ServerResponse>();
  server.on('request', (_request, response) => {
    const place = active.add(response);
    response.once('close', () => active.remove(place));
  });
  const running = (isMeant: (request: IncomingMessage) => boolean) => active.all().filter(({ req }) => isMeant(req));
  const wait = async (isMeant: (request: IncomingMessage) => boolean, ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until && running(isMeant).length > 0; )
      await sleep(20);
    for (const response of running(isMeant)) response.destroy();
  };
  return {
    /** Takes no new connections, waits for what runs, bounded, and cuts off the rest. */
    async drain() {
      server.close();
      server.closeIdleConnections();
      await Promise.all([wait(isInference, STREAMS_MS), wait((request) => !isInference(request), OTHERS_MS)]);
      server.closeAllConnections();
    },
  };
}

const isInference = (request: IncomingMessage): boolean => /^\/(?:v1|llm|proxy)\//.test(request.url ?? '');
