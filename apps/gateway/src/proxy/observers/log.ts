import { redact } from '@callsmith/data/redaction';
import type { Action, Finding, FindingClass } from '@callsmith/turn';
import type { ObserverFactory } from './observer.ts';

/** The destination of log lines. */
export interface Log {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * One line for each request that did not go well, and one for the calls that were dropped or wrapped in a request, by
 * class. Headers, bodies and arguments are never logged, secrets in a server's message are masked.
 */
export const logProblem =
  (log: Log): ObserverFactory =>
  ({ request, attempts, response }) => ({
    done() {
      const { fault, notes } = response;
      const at = {
        requestId: request.requestId,
        path: request.path,
        model: request.model?.name,
        upstream: attempts.route?.upstream.name,
      };
      // The demo's models make such calls all the time.
      if (request.model?.demo !== true)
        for (const lost of lostCalls(notes)) log.warn({ ...at, ...lost }, `tool call ${lost.action}`);
      if (fault === undefined || fault.origin === 'client') return;
      const about = { ...at, code: fault.code, attempts: attempts.count };
      if (fault.code === 'internal_error') log.error({ ...about, cause: causeOf(fault) }, redact(fault.message));
      else log.warn(about, redact(fault.message));
    },
  });

/** Calls of one class that were not delivered as the model made them. */
interface LostCalls {
  readonly action: Action;
  readonly class: FindingClass | undefined;
  calls: number;
}

/** How many calls of each class were dropped or wrapped. */
function lostCalls(notes: readonly Finding[]): LostCalls[] {
  const lost: LostCalls[] = [];
  for (const { action, class: reason } of notes) {
    if (action !== 'dropped' && action !== 'wrapped') continue;
    const same = lost.find((one) => one.action === action && one.class === reason);
    if (same) same.calls += 1;
    else lost.push({ action, class: reason, calls: 1 });
  }
  return lost;
}

/** A cause's stack; its message may contain text of a request, except that of the gateway's own errors. */
const causeOf = (fault: Error): string | undefined =>
  fault.cause instanceof Error ? redact((fault.cause.stack ?? fault.cause.message).slice(0, 4000)) : undefined;
