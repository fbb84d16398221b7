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

  /** Requests can be served: 200, with warnings among the reasons; or 503 with the reasons why not. */
  @Get('readyz')
  @Header('cache-control', 'no-store')
  async ready(
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ status: string; reasons: readonly string[] }> {
    const reasons = await this.readiness.reasons();
    if (reasons.length > 0) void reply.code(503);
    return {
      status: reasons.length === 0 ? 'ready' : 'not ready',
      reasons: [...reasons, ...this.readiness.warnings()],
    };
  }
}
