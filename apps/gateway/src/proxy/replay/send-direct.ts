import type { UpstreamEntry } from '@callsmith/data/snapshot';
import type { JsonObject } from '@callsmith/turn';
import type { UpstreamClient } from '../upstream/upstream-client.ts';

/** A server's response as it came, or with status undefined the reason why none came. */
export type DirectResponse =
  | { readonly status: number; readonly text: string }
  | { readonly status: undefined; readonly text: string };

const TIMEOUT_MS = 60_000;
const LONGEST = 1024 * 1024;

/** A request that is sent to a server unchanged. */
interface DirectRequest {
  /** By default the path of chat completions. */
  readonly path?: string;
  /** The path is relative to the server's root, not to its base path. */
  readonly atRoot?: boolean;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

/**
 * Sends a body to a server without the processing of the request path, and reads the response: its first megabyte, for
 * at most a minute. A request that gets no response is returned as such. Rejects only if no connection becomes free in
 * time, or if the signal is aborted before.
 */
export async function sendDirect(
  client: UpstreamClient,
  upstream: UpstreamEntry,
  { path = '/chat/completions', atRoot = false, body, signal }: DirectRequest,
): Promise<DirectResponse> {
  await client.admit(upstream, signal);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let [size, status] = [0, 0];
    const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const sending = client.send(
      upstream,
      { path, atRoot, body: JSON.stringify(body) },
      {
        started: (received) => {
          status = received;
        },
        data: (bytes) => {
          size += bytes.length;
          if (size <= LONGEST) parts.push(Buffer.from(bytes));
        },
        flush: () => {},
        ended: () => over({ status, text: Buffer.concat(parts).toString('utf8') }),
        failed: ({ fault }) => over({ status: undefined, text: fault.message }),
      },
    );
    const tooLate = (): void => {
      sending.abort();
      over({ status: undefined, text: 'No response in time.' });
    };
    stop.addEventListener('abort', tooLate);
    const over = (answer: DirectResponse): void => {
      stop.removeEventListener('abort', tooLate);
      resolve(answer);
    };
  });
}
