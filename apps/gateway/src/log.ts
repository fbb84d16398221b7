import { ConsoleLogger, type LoggerService } from '@nestjs/common';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { deferred } from './proxy/record/deferred-work.ts';

/** The log format: JSON lines, short lines about problems only for a terminal, or nothing. */
export type LogStyle = 'json' | 'short' | 'off';

/** Options for Fastify's pino. A request's body, query and headers are never logged. */
export function pinoOptions(style: LogStyle): NonNullable<FastifyServerOptions['logger']> {
  if (style === 'off') return false;
  if (style === 'json') return { level: 'info', serializers, stream: batched(process.stdout) };
  return { level: 'warn', serializers, stream: { write: (line: string) => process.stderr.write(shortened(line)) } };
}

/** How long lines are buffered, in milliseconds. */
const gatherMs = 100;

/** Lines are written together, at most ten times a second: one write per line costs as much as reading its request. */
export function batched(out: Pick<NodeJS.WritableStream, 'write'>): { write(line: string): void } {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') out.write(lines);
    lines = '';
  };
  process.once('exit', flush);
  return {
    write(line) {
      lines += line;
      if (lines.length > 64 * 1024) flush();
      else timer ??= setTimeout(flush, gatherMs).unref();
    },
  };
}

/** The logger of Nest's own messages. */
export function nestLogger(style: LogStyle): LoggerService | false {
  if (style === 'off') return false;
  return new ConsoleLogger({ json: style === 'json', colors: false, logLevels: ['fatal', 'error', 'warn'] });
}

/**
 * Logs one line for each completed request: method, the route's pattern (never the requested address), status, time.
 */
export function logRequests(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const ms = Math.round(reply.elapsedTime);
    deferred.add(() =>
      request.server.log.info(
        {
          reqId: request.id,
          method: request.method,
          route: request.routeOptions.url ?? 'none',
          status: reply.statusCode,
          ms,
        },
        'request',
      ),
    );
    done();
  });
}

const serializers = {
  req: (request: { method: string; id: string }) => ({ method: request.method, id: request.id }),
  res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
  err: (error: Error & { code?: string }) => ({
    type: error.name,
    code: error.code,
    message: error.message,
    stack: error.stack ?? '',
  }),
};

function shortened(line: string): string {
  const { msg, err, level } = JSON.parse(line) as { msg?: string; err?: { message?: string }; level: number };
  return `${level >= 50 ? 'error' : 'warning'}: ${[msg, err?.message].filter(Boolean).join(': ')}\n`;
}
