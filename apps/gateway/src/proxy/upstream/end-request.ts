import type { UpstreamRequest } from '../record/attempt-log.ts';
import type { AttemptFailure, UnusableReply } from './attempt-failure.ts';

/**
 * Records when and how an upstream request ended. Only the first call counts: a response that was held back ends a
 * second time when it is released.
 */
export function endRequest(request: UpstreamRequest, result: AttemptFailure | UnusableReply | undefined): void {
  if (request.endedAt !== undefined) return;
  request.endedAt = performance.now();
  if (result === undefined) return;
  if ('answer' in result) request.unusable = true;
  else request.failure = result.fault.code;
}
