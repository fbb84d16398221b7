import { Fault } from '@callsmith/turn';
import type { FastifyRequest } from 'fastify';

/** The rest of the path after `prefix`, decoded. */
export function nameInPath(request: FastifyRequest, prefix: string): string {
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path.slice(prefix.length));
  } catch {
    throw new Fault('invalid_parameter', 'The model name in the path is not properly encoded.', { param: 'model' });
  }
}
