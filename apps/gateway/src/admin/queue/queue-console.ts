import { CONFIG, type Config } from '@callsmith/config';
import { BullmqRunner, JOB_RUNNER, type JobRunner } from '@callsmith/jobs';
import { Fault } from '@callsmith/turn';
import fastifyStatic from '@fastify/static';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Queue } from 'bullmq';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asFault } from '../../proxy/request/as-fault.ts';
import { isAtLeast } from '../access/caller.ts';
import { Callers } from '../access/callers.ts';
import { HttpExchange } from '../http-exchange.ts';
import { type Board, boardOf, queuesOf } from './board.ts';

const PREFIX = '/api/queue';

// The board uses inline styles in elements and attributes.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; frame-ancestors 'none'";

/** The queue console (Bull Board) at /api/queue/: for admins only, and read-only (security 22). */
@Injectable()
export class QueueConsole implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly callers: Callers,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(JOB_RUNNER) private readonly runner: JobRunner,
  ) {}

  onModuleInit(): void {
    const { runner } = this;
    if (!(runner instanceof BullmqRunner)) return;
    const board = boardOf(runner.board, `${PREFIX}/`);
    const fastify = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    void fastify.register(async (scope) => this.#serve(scope, board, () => runner.board), { prefix: PREFIX });
  }

  /** `queue` returns the current queue; `board` may have been made of an earlier one. */
  async #serve(scope: FastifyInstance, board: Board, queue: () => Queue): Promise<void> {
    scope.addHook('onRequest', (request, reply) => this.#admit(request, reply));
    scope.setErrorHandler((error, request, reply) => {
      const fault = asFault(error);
      if (fault.status >= 500) request.log.error({ err: error }, 'queue console failed');
      return reply.code(fault.status).send(fault.body());
    });
    await scope.register(fastifyStatic, { root: board.files, prefix: '/static/', decorateReply: false });
    for (const path of board.pages)
      scope.get(path, (_, reply) => reply.type('text/html; charset=utf-8').send(board.page));
    for (const { route, handler } of board.routes)
      for (const path of [route].flat())
        scope.get(path, async (request, reply) => {
          const { params, query } = request as { params: Record<string, string>; query: Record<string, string> };
          const { config: uiConfig } = board;
          const queues = queuesOf(queue());
          const { status, body } = await handler({ queues, uiConfig, params, query, body: {}, headers: {} });
          return reply.code(status ?? 200).send(body);
        });
  }

  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    void reply.headers({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-request-id': String(request.id),
    });
    const { role } = await this.callers.callerOf(new HttpExchange(request, reply, this.config.server.publicUrl));
    if (!isAtLeast(role, 'admin'))
      throw new Fault('forbidden', `This requires an admin; you are signed in as ${role}.`);
  }
}
