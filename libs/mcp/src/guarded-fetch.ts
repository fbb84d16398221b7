import { checkOutboundUrl, guardedLookup } from '@callsmith/data/upstreams';
import { Agent, fetch as send } from 'undici';

/** The most of one reply that is read, in bytes. */
export const longestReply = 8 * 1024 * 1024;

const agent = new Agent({
  connections: 16,
  connect: { lookup: guardedLookup, timeout: 10_000 },
  maxHeaderSize: 32_768,
});

/**
 * `fetch` for MCP servers: every address, of a redirect and of an authorization server too, is checked by the rules of
 * upstreams and pinned to what was checked; no redirect is followed to another origin; a reply ends at its bound.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  const url = checkOutboundUrl(typeof input === 'string' ? input : input instanceof URL ? input.href : input.url);
  const reply = (await send(url, {
    ...(init as object),
    redirect: 'manual',
    dispatcher: agent,
  })) as unknown as Response;
  if (reply.status >= 300 && reply.status < 400) {
    await reply.body?.cancel();
    throw new Error(`${url.origin} redirects, which is not followed`);
  }
  if (reply.body === null) return reply;
  const bounded = reply.body.pipeThrough(boundedTo(longestReply));
  return new Response(bounded, { status: reply.status, statusText: reply.statusText, headers: reply.headers });
};

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
