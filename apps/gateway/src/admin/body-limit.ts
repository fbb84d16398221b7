import type { FastifyInstance } from 'fastify';

/** Room for 200 holders and 500 model names of the longest kind, with some to spare. */
const LIMIT_BYTES = 1024 * 1024;

/** Keeps bodies of the admin API small; those of the inference routes may be long conversations. */
export function limitAdminBodies(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith('/api/')) route.bodyLimit = LIMIT_BYTES;
  });
}
