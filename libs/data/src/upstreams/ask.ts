import { Agent, type Dispatcher, request } from 'undici';
import { checkUpstreamUrl, guardedLookup, RefusedAddress } from './address.ts';

/** An upstream could not be asked; the message is the rest of a sentence after its URL. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const MOST_BYTES = 4 * 1024 * 1024;

// For looks at upstreams only: turns have pools of their own.
const agent: Dispatcher = new Agent({
  connect: { lookup: guardedLookup, timeout: 4_000 },
  connections: 8,
  keepAliveTimeout: 1_000,
  maxHeaderSize: 16_384,
});

export interface Ask {
  readonly url: string;
  readonly credential: string | undefined;
  readonly timeoutMs: number;
  /** Sent as JSON by POST; absent: GET. */
  readonly body?: object;
}

/** Asks for JSON. Undefined: an answer that is not 200 or not JSON. Throws `Unreachable`, and for 401 and 403. */
export async function askJson({ url, credential, timeoutMs, body }: Ask): Promise<unknown> {
  const { status, text } = await ask({ url, credential, timeoutMs, ...(body ? { body } : {}) });
  if (status === 401 || status === 403) throw new Unreachable(`it rejected the API key (${status})`);
  if (status !== 200) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks, and reads at most 4 MB of the answer. Redirects are not followed. Throws `Unreachable`. */
export async function ask({ url, credential, timeoutMs, body }: Ask): Promise<{ status: number; text: string }> {
  try {
    checkUpstreamUrl(url);
    const reply = await request(url, {
      dispatcher: agent,
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(credential ? { authorization: `Bearer ${credential}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of reply.body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MOST_BYTES) throw new Unreachable('its list of models is larger than 4 MB');
      parts.push(part);
    }
    return { status: reply.statusCode, text: Buffer.concat(parts).toString('utf8') };
  } catch (problem) {
    throw problem instanceof Unreachable ? problem : new Unreachable(reasonOf(problem), { cause: problem });
  }
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved right now',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'timed out',
  UND_ERR_SOCKET: 'connection closed',
  HPE_INVALID_CONSTANT: 'it does not respond with HTTP',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
};

/** A connection problem in plain words. */
export function reasonOf(problem: unknown): string {
  for (let at = problem, depth = 0; at instanceof Error && depth < 5; depth++) {
    if (at instanceof RefusedAddress) return at.message;
    if (at.name === 'TimeoutError' || at.name === 'AbortError') return 'timed out';
    const reason = REASONS[(at as NodeJS.ErrnoException).code ?? ''];
    if (reason) return reason;
    at = at instanceof AggregateError && at.errors.length > 0 ? at.errors[0] : at.cause;
  }
  return problem instanceof Error ? problem.message.slice(0, 200) || problem.name : 'connection failed';
}
