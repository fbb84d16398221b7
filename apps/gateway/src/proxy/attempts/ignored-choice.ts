import type { CompletionJob } from '../upstream/completion-job.ts';
import type { RequestForm } from './retreat.ts';

/** Why a request that asked the engine itself for a call is sent in another form. */
export const ignoredChoice = 'The response ignored tool_choice.';

/** The engine itself was asked for a call and its answer ended without one; in a cut answer one might have come. */
export const ignoresChoice = (
  { turn, response }: Pick<CompletionJob, 'turn' | 'response'>,
  { strategyUsed }: RequestForm,
): boolean =>
  strategyUsed === 'native' &&
  turn.n === 1 &&
  response.summary.notes.some(
    ({ class: found, detail }) => found === 'CallRequired' && /: (?:stop|tool_calls)$/.test(detail ?? ''),
  );
