import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on this machine: answers each request with the next of `answers`, then with 204. */
export async function receiver(
  answers: readonly (number | { readonly status: number; readonly headers: Record<string, string> })[] = [],
): Promise<{ readonly url: string; readonly got: readonly Received[]; stop(): Promise<void> }> {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const next = answers[got.length] ?? 204;
      got.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      });
      const { status, headers } = typeof next === 'number' ? { status: next, headers: {} } : next;
      response.writeHead(status, headers).end(status === 204 ? undefined : 'a secret of the receiver');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/T0KEN-in-the-path`,
    got,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => void server.close(() => done()));
    },
  };
}
