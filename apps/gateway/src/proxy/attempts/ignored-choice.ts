import type { Fault, Finding } from '@callsmith/turn';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import type { RequestForm } from './retreat.ts';

/** The reason of a lesson about an engine that ignores `tool_choice`. */
export const ignoredChoice = 'The response ignored tool_choice.';

/** True if the engine was to require a native call and its response ended without one. */
export const ignoresChoice = (
  { turn, response }: Pick<CompletionJob, 'turn' | 'response'>,
  { strategyUsed }: RequestForm,
  { fault }: AttemptFailure,
): boolean => strategyUsed === 'native' && turn.n === 1 && endedWithoutCall(fault, response.summary.notes);

/**
 * True if a call was required and the model ended its response without one. An incomplete response does not count, as
 * the call might have followed.
 */
export const endedWithoutCall = (fault: Fault | undefined, notes: readonly Finding[]): boolean =>
  fault?.code === 'tool_call_required' &&
  notes.some(({ class: found, detail }) => found === 'CallRequired' && /: (?:stop|tool_calls)$/.test(detail ?? ''));
