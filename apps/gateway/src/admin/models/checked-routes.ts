import type { PrismaService } from '@callsmith/data/database';
import type { ModelRoute } from '@callsmith/data/models';
import { listUpstreams } from '@callsmith/data/upstreams';
import { Fault } from '@callsmith/turn';

/** A requested route; without `upstreamModel` the model has the same name there. */
export interface RequestedRoute {
  readonly upstreamId: string;
  readonly upstreamModel?: string | undefined;
  readonly weight?: number | undefined;
}

/** The requested routes. Throws if an upstream does not exist, is listed twice, or is the demo's. */
export async function checkedRoutes(
  prisma: PrismaService,
  requested: readonly RequestedRoute[],
  model: { readonly name: string; readonly demo: boolean },
): Promise<ModelRoute[]> {
  const upstreams = new Map((await listUpstreams(prisma)).map((row) => [row.id, row]));
  const ids = requested.map(({ upstreamId }) => upstreamId);
  const fields = ids.flatMap((id, at) => {
    const row = upstreams.get(id);
    const path = `routes[${at}].upstreamId`;
    if (!row) return [{ path, message: 'must be an existing upstream' }];
    if (ids.indexOf(id) !== at) return [{ path, message: 'must not be listed twice' }];
    if ((row.origin === 'demo') !== model.demo)
      return [{ path, message: 'demo models can only use demo upstreams, and other models cannot' }];
    return [];
  });
  const [first] = fields;
  if (first) throw new Fault('invalid_parameter', `${first.path}: ${first.message}`, { param: first.path, fields });
  return requested.map(({ upstreamId, upstreamModel, weight }) => ({
    upstreamId,
    upstreamModel: upstreamModel ?? model.name,
    weight: weight ?? 1,
  }));
}
