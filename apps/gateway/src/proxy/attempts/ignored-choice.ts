import type { Fault, Finding } from '@callsmith/turn';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import type { RequestForm } from './retreat.ts';

/** Why a request that asked the engine itself for a call is sent in another form. */
export const ignoredChoice = 'The response ignored tool_choice.';

/** The engine itself was asked for a call, and its answer ended without one. */
export const ignoresChoice = (
  { turn, response }: Pick<CompletionJob, 'turn' | 'response'>,
  { strategyUsed }: RequestForm,
  { fault }: AttemptFailure,
): boolean => strategyUsed === 'native' && turn.n === 1 && endedWithoutCall(fault, response.summary.notes);

/** A call was required, and the model ended its answer by itself without one; in a cut answer one might have come. */
export const endedWithoutCall = (fault: Fault | undefined, notes: readonly Finding[]): boolean =>
  fault?.code === 'tool_call_required' &&
  notes.some(({ class: found, detail }) => found === 'CallRequired' && /: (?:stop|tool_calls)$/.test(detail ?? ''));
