import { Fault } from '@callsmith/turn';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asFault, notJson } from './proxy/request/as-fault.ts';
import { noRoute } from './proxy/request/no-route.ts';

/** Answers every exception of a handler in OpenAI's error format; unexpected ones are logged and not revealed. */
@Catch()
export class FaultsFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const fault = faultOf(error, request);
    if (fault.status >= 500) request.log.error({ err: error }, 'admin request failed');
    void http
      .getResponse<FastifyReply>()
      .headers({ ...fault.headers, 'x-request-id': String(request.id), 'cache-control': 'no-store' })
      .code(fault.status)
      .send(fault.body());
  }
}

function faultOf(error: unknown, request: FastifyRequest): Fault {
  if (error instanceof HttpException) return nestFault(error, request);
  if (refersToNothing(error)) return new Fault('conflict', 'Something that this refers to was deleted just now.');
  return storeIsAway(error) ? new Fault('store_unavailable', undefined, { cause: error }) : asFault(error);
}

/** Prisma's code for a missing row that is referenced; rows that were requested are checked before. */
const refersToNothing = (error: unknown): boolean => (error as { code?: unknown }).code === 'P2003';

/**
 * Prisma's codes for a database that is unreachable (P1…) or has no free connection in time, and `pg`'s messages for a
 * connection that breaks during use, which have no code.
 */
function storeIsAway(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    /^(?:P1\d{3}|P2024|P2028|ECONNREFUSED|ECONNRESET)$/.test(String(code)) ||
    /^(?:Connection terminated|timeout exceeded when trying to connect)/.test(String(message))
  );
}

/** Nest throws these for a missing route and for errors of Fastify. */
function nestFault(error: HttpException, { method, url }: FastifyRequest): Fault {
  switch (error.getStatus()) {
    case 404:
      return noRoute(method, url.split('?', 1)[0] ?? '');
    case 413:
      return new Fault('body_too_large');
    case 415:
      return notJson();
    case 400:
      return /JSON/.test(error.message) ? new Fault('invalid_json') : new Fault('invalid_body');
    default:
      return new Fault('internal_error', undefined, { cause: error });
  }
}
