import { Fault } from '@callsmith/turn';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers what an admin handler throws in OpenAI's error format; what nobody expected is logged and not told. */
@Catch()
export class AdminFaults implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const fault = error instanceof Fault ? error : new Fault('internal_error', undefined, { cause: error });
    const request = http.getRequest<FastifyRequest>();
    if (fault.status >= 500) request.log.error({ err: error }, 'admin request failed');
    void http
      .getResponse<FastifyReply>()
      .headers({ ...fault.headers, 'x-request-id': String(request.id), 'cache-control': 'no-store' })
      .code(fault.status)
      .send(fault.body());
  }
}
