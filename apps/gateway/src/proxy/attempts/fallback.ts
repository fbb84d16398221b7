import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob, Fallback } from '../upstream/completion-job.ts';
import { isTemporary } from './retry.ts';

/**
 * The same job for the first fallback model that is for this kind of failure. Undefined if there is none, or if
 * something was sent to the client, as the response's headers name the model. No fallback is used twice, and a
 * fallback's own fallbacks are not used, so that there are no cycles.
 */
export function fallbackJob(job: CompletionJob, failure: AttemptFailure): CompletionJob | undefined {
  const { fallbacks, response, signal } = job;
  if (fallbacks === undefined || signal.aborted) return undefined;
  if (response.committed || response.summary.firstSentAt !== undefined) return undefined;
  const next = fallbacks.find(({ on }) => on === reasonOf(failure));
  if (next === undefined) return undefined;
  response.note({
    stage: 'upstream',
    detail: `fallback to ${next.model.name} on ${next.on}: ${failure.fault.message}`,
  });
  // The fallback calls tools itself, without a delegate.
  const { delegate: _, ...rest } = job;
  return { ...rest, model: next.model, fallbacks: fallbacks.filter(({ model }) => model.id !== next.model.id) };
}

function reasonOf(failure: AttemptFailure): Fallback['on'] | undefined {
  const { engine, fault } = failure;
  if (engine?.kind === 'context' || fault.code === 'context_length_exceeded') return 'context';
  return fault.code === 'no_upstream' || isTemporary(failure) ? 'outage' : undefined;
}
