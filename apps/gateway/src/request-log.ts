import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

type Factory = NonNullable<FastifyServerOptions['childLoggerFactory']>;

/** The logger of a request, whose lines name it. Made for its first line: hardly any request has one. */
class RequestLog {
  private made: FastifyBaseLogger | undefined;

  constructor(
    private readonly parent: FastifyBaseLogger,
    private readonly bindings: Parameters<Factory>[1],
    private readonly options: Parameters<Factory>[2],
  ) {}

  private get own(): FastifyBaseLogger {
    this.made ??= this.parent.child(this.bindings, this.options);
    return this.made;
  }

  get level(): string {
    return this.parent.level;
  }

  fatal(...line: Line): void {
    this.own.fatal(...line);
  }

  error(...line: Line): void {
    this.own.error(...line);
  }

  warn(...line: Line): void {
    this.own.warn(...line);
  }

  info(...line: Line): void {
    this.own.info(...line);
  }

  debug(...line: Line): void {
    this.own.debug(...line);
  }

  trace(...line: Line): void {
    this.own.trace(...line);
  }

  silent(): void {}

  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.own.child(...args);
  }
}

type Line = [fields: unknown, message?: string, ...values: unknown[]];

export const requestLog: Factory = (parent, bindings, options) =>
  new RequestLog(parent, bindings, options) as FastifyBaseLogger;
