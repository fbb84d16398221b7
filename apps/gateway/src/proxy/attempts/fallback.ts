import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob, Fallback } from '../upstream/completion-job.ts';
import { isTemporary } from './retry.ts';

/**
 * The same request, to the first model that takes over after this failure. Undefined: there is none, or a byte has gone
 * out, whose headers have named this model. A fallback's own fallbacks are not followed, and none is asked twice: there
 * are no circles.
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
  // It calls tools itself.
  const { delegate: _, ...rest } = job;
  return { ...rest, model: next.model, fallbacks: fallbacks.filter(({ model }) => model.id !== next.model.id) };
}

function reasonOf(failure: AttemptFailure): Fallback['on'] | undefined {
  const { engine, fault } = failure;
  if (engine?.kind === 'context' || fault.code === 'context_length_exceeded') return 'context';
  return fault.code === 'no_upstream' || isTemporary(failure) ? 'outage' : undefined;
}
