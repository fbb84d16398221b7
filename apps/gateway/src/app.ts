import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { Config } from '@callsmith/config';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply, LogController } from 'fastify';
import { limitAdminBodies } from './admin/body-limit.ts';
import { compressAdminAnswers } from './admin/compressed-answers.ts';
import { appModule } from './app.module.ts';
import { watchBodies } from './body-timeouts.ts';
import { type LogStyle, logRequests, nestLogger, pinoOptions } from './log.ts';
import { asFault } from './proxy/request/as-fault.ts';
import { sendFault } from './proxy/response/send-json.ts';
import { requestLog } from './request-log.ts';
import { keepRouteTable } from './route-table.ts';
import { serveDashboard } from './static.ts';
import { endUnread } from './unread-answers.ts';

/**
 * Creates the whole gateway, ready to `listen` or `inject`. The stores in `config` must be running and migrated. `log`:
 * `json` lines, `short` ones for problems only, or none.
 */
export async function createApp(config: Config, log: LogStyle = 'off'): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    routerOptions: { maxParamLength: 1024 },
    bodyLimit: config.server.bodyLimitBytes,
    trustProxy: trusted(config.server.trustProxy),
    logger: pinoOptions(log),
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: requestLog,
    genReqId: () => `req_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    forceCloseConnections: 'idle',
    frameworkErrors: refuseAddress,
  });
  keepRouteTable(adapter.getInstance());
  limitAdminBodies(adapter.getInstance());
  watchBodies(adapter.getInstance());
  endUnread(adapter.getInstance());
  logRequests(adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>(appModule(config), adapter, {
    logger: nestLogger(log),
    abortOnError: false,
    // Fastify's own parser accepts JSON only; a form from another site is never a valid request.
    bodyParser: false,
  });
  await serveDashboard(app, config);
  await compressAdminAnswers(app);
  await app.init();
  return app;
}

/** An unparsable address matches no route, so the error format follows its prefix. */
const refuseAddress = (error: unknown, _request: unknown, reply: unknown): void =>
  sendFault(reply as FastifyReply, asFault(error), undefined);

/** A number of trusted proxies is compared with the hop's distance: the nearest has 0. */
function trusted(
  proxies: Config['server']['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false;
  return typeof proxies === 'number' ? (_address, hop) => hop < proxies : [...proxies];
}
