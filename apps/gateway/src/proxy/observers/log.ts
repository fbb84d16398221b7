import { redact } from '@callsmith/data/redaction';
import type { ObserverFactory } from './observer.ts';

/** Where lines of the log go. */
export interface Log {
  warn(fields: object, say: string): void;
  error(fields: object, say: string): void;
}

/** One line for each request that did not go well. Headers and bodies never enter the log, secrets in a server's words are masked. */
export const logTrouble =
  (log: Log): ObserverFactory =>
  ({ request, attempts, response }) => ({
    done() {
      const { fault } = response;
      if (fault === undefined || fault.origin === 'client') return;
      const about = {
        requestId: request.requestId,
        path: request.path,
        model: request.model?.name,
        upstream: attempts.route?.upstream.name,
        code: fault.code,
        attempts: attempts.count,
      };
      if (fault.code === 'internal_error') log.error({ ...about, cause: causeOf(fault) }, redact(fault.message));
      else log.warn(about, redact(fault.message));
    },
  });

/** A cause's stack; its message may hold text of a request only where our own code put it there. */
const causeOf = (fault: Error): string | undefined =>
  fault.cause instanceof Error ? redact((fault.cause.stack ?? fault.cause.message).slice(0, 4000)) : undefined;
