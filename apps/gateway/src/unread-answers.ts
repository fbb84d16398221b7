import type { FastifyInstance } from 'fastify';

/**
 * Ends connections whose client takes nothing of what waits for it: each holds its answer, which may have 32 MiB. Who
 * waits for an answer, however long, is let wait.
 */
export function endUnread(fastify: FastifyInstance, maxUnreadMs = 300_000): void {
  fastify.server.setTimeout(maxUnreadMs, (socket) => {
    // Another time than ours is that of a kept connection which nobody used, and which Node leaves to us now.
    if (socket.writableLength > 0 || socket.timeout !== maxUnreadMs) socket.destroy();
  });
}
