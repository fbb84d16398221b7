import type { FastifyInstance } from 'fastify';

/** Enough for 200 owners and 500 model names of the maximum length. */
const LIMIT_BYTES = 1024 * 1024;

/** Keeps bodies of the admin API small; those of the inference routes may be long conversations. */
export function limitAdminBodies(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith('/api/')) route.bodyLimit = LIMIT_BYTES;
  });
}
