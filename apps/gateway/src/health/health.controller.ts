import { Controller, Get, Header, HttpCode, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readiness } from './readiness.ts';

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process answers. */
  @Get('healthz')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Requests can be served: 200, `degraded` if something should be fixed; or 503. The reasons are listed. */
  @Get('readyz')
  @Header('cache-control', 'no-store')
  async ready(
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ status: 'ready' | 'degraded' | 'not ready'; reasons: readonly string[] }> {
    const { reasons, warnings } = await this.readiness.check();
    if (reasons.length > 0) void reply.code(503);
    const status = reasons.length > 0 ? 'not ready' : warnings.length > 0 ? 'degraded' : 'ready';
    return { status, reasons: [...reasons, ...warnings] };
  }
}
