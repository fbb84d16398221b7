import type { FastifyInstance } from 'fastify';

/** A route as Fastify serves it. */
export interface ServedRoute {
  readonly method: string;
  /** The pattern, e.g. `/api/keys/:id`, and what is done behind it, if the route is for that alone. */
  readonly path: string;
}

const tables = new WeakMap<object, ServedRoute[]>();

/** Keeps note of every route that is put on Fastify from now on. */
export function keepRouteTable(fastify: Pick<FastifyInstance, 'addHook'>): void {
  const table: ServedRoute[] = [];
  tables.set(fastify, table);
  fastify.addHook('onRoute', ({ method, url, constraints }) => {
    const path = constraints?.action === undefined ? url : `${url}:${constraints.action}`;
    for (const one of [method].flat()) if (one !== 'HEAD' && one !== 'OPTIONS') table.push({ method: one, path });
  });
}

/** Every route of a Fastify whose table is kept. @internal For the tests that walk all routes. */
export const routeTable = (fastify: object): readonly ServedRoute[] => tables.get(fastify) ?? [];
