import {
  checkOutboundUrl,
  guardedLookup,
  type OutgoingProxies,
  type OutgoingProxy,
  proxyFor,
} from '@callsmith/data/upstreams';
import { Agent, type Dispatcher, ProxyAgent, fetch as send } from 'undici';

/** The maximum size of one response, in bytes. */
export const maxReplyBytes = 8 * 1024 * 1024;

const connect = { lookup: guardedLookup, timeout: 10_000 };
const options = { connections: 16, maxHeaderSize: 32_768 };
const direct: Dispatcher = new Agent({ ...options, connect });

/**
 * `fetch` for MCP servers: every address, also of a redirect or an authorization server, is checked by the rules for
 * upstreams and pinned to the checked one; no redirect to another origin is followed; a response is cut at its limit.
 * Through a proxy, if one is configured for the address, names are resolved there, and the proxy's own name here.
 */
export function guardedFetch(proxies: OutgoingProxies | undefined): typeof fetch {
  const byProxy = new Map<string, Dispatcher>();
  const dispatcherFor = (url: URL): Dispatcher => {
    const proxy = proxyFor(proxies, url.href);
    if (proxy === undefined) return direct;
    const dispatcher = byProxy.get(proxy.origin) ?? through(proxy);
    byProxy.set(proxy.origin, dispatcher);
    return dispatcher;
  };
  return async (input, init) => {
    const url = checkOutboundUrl(typeof input === 'string' ? input : input instanceof URL ? input.href : input.url);
    const reply = (await send(url, {
      ...(init as object),
      redirect: 'manual',
      dispatcher: dispatcherFor(url),
    })) as unknown as Response;
    if (reply.status >= 300 && reply.status < 400) {
      await reply.body?.cancel();
      throw new Error(`${url.origin} redirects, and redirects are not followed`);
    }
    if (reply.body === null) return reply;
    const bounded = reply.body.pipeThrough(boundedTo(maxReplyBytes));
    return new Response(bounded, { status: reply.status, statusText: reply.statusText, headers: reply.headers });
  };
}

/** `http:` addresses by absolute URLs, `https:` ones through a tunnel, like upstreams. */
const through = ({ origin: uri, authorization }: OutgoingProxy): Dispatcher =>
  new ProxyAgent({
    ...options,
    uri,
    ...(authorization !== undefined && { token: authorization }),
    proxyTls: connect,
    requestTls: connect,
    proxyTunnel: false,
  });

function boundedTo(most: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > most) controller.error(new Error(`the server sent more than ${most} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
