import { urlUnder } from '@callsmith/contracts';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { checkUpstreamUrl, guardedLookup, RefusedAddress } from './address.ts';
import { type Addressing, ownHeaders } from './addressing.ts';
import { type OutgoingProxies, type OutgoingProxy, proxyFor } from './outgoing-proxy.ts';

/** A request to an upstream failed; the message is the rest of a sentence after its URL. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const MOST_BYTES = 4 * 1024 * 1024;

// For checks of upstreams only: turns have their own pools.
const options = { connections: 8, keepAliveTimeout: 1_000, maxHeaderSize: 16_384 };
const connect = { lookup: guardedLookup, timeout: 4_000 };
const direct: Dispatcher = new Agent({ ...options, connect });
const byProxy = new Map<string, Dispatcher>();

/** An upstream's addressing, with the configured proxy. */
export interface AddressedUpstream {
  readonly addressing: Addressing;
  readonly proxies: OutgoingProxies | undefined;
}

export interface JsonRequest extends AddressedUpstream {
  /** Appended to the base URL. */
  readonly path: string;
  /** Appended to the server's root instead: the base URL without `/v1`. */
  readonly atRoot?: boolean;
  readonly timeoutMs: number;
  /** Sent as JSON by POST; undefined: GET. */
  readonly body?: object;
}

/** Requests JSON. Undefined: a response that is not 200 or not JSON. Throws `Unreachable`, also for 401 and 403. */
export async function requestJson(jsonRequest: JsonRequest): Promise<unknown> {
  const { status, text } = await requestUpstream(jsonRequest);
  if (status === 401 || status === 403) throw new Unreachable(`it rejected the API key (${status})`);
  if (status !== 200) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a request and reads at most 4 MB of the response. Redirects are not followed. Throws `Unreachable`. */
export async function requestUpstream(jsonRequest: JsonRequest): Promise<{ status: number; text: string }> {
  const { addressing, proxies, path, atRoot, timeoutMs, body } = jsonRequest;
  const proxy = addressing.direct ? undefined : proxyFor(proxies, addressing.baseUrl);
  try {
    checkUpstreamUrl(addressing.baseUrl);
    const reply = await request(urlUnder(addressing.baseUrl, path, atRoot), {
      dispatcher: proxy ? through(proxy) : direct,
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        'user-agent': 'callsmith',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...ownHeaders(addressing),
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
    if (problem instanceof Unreachable) throw problem;
    const reason = reasonOf(problem);
    throw new Unreachable(proxy ? `${reason} (through the proxy ${proxy.origin})` : reason, { cause: problem });
  }
}

function through({ origin: uri, authorization }: OutgoingProxy): Dispatcher {
  const cached = byProxy.get(uri + authorization);
  if (cached) return cached;
  const token = authorization === undefined ? {} : { token: authorization };
  const made = new ProxyAgent({
    ...options,
    uri,
    ...token,
    proxyTls: connect,
    requestTls: connect,
    proxyTunnel: false,
  });
  byProxy.set(uri + authorization, made);
  return made;
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
