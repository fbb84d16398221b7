import type { UpstreamRequest } from '../record/attempt-log.ts';
import type { AttemptFailure, UnusableReply } from './attempt-failure.ts';

/** Writes down how an upstream request ended: once, also where its answer is let out later. */
export function endRequest(request: UpstreamRequest, result: AttemptFailure | UnusableReply | undefined): void {
  if (request.endedAt !== undefined) return;
  request.endedAt = performance.now();
  if (result === undefined) return;
  if ('answer' in result) request.unusable = true;
  else request.failure = result.fault.code;
}
