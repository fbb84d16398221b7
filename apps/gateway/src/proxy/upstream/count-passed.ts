import type { CompletionJob } from './completion-job.ts';
import { estimateTokens } from './count-tokens.ts';

/**
 * Estimates the usage of a stream that passed through if the client requested it and the server did not send it. Sends
 * it as a frame, so that it must run before the stream's last frame.
 */
export async function countPassed(job: CompletionJob): Promise<void> {
  const { turn, response } = job;
  if (!turn.stream || !turn.includeUsage || response.summary.usage !== undefined) return;
  await estimatePassed(job);
  if (response.summary.usage) response.passUsage(response.summary.usage);
}

/** Estimates the usage of a response that passed through for the record, after the response was sent. */
export async function estimatePassed({ response: { summary }, turn }: CompletionJob): Promise<void> {
  if (summary.usage !== undefined) return;
  const usage = await estimateTokens(turn, { sample: summary.textSample, length: summary.textLength });
  summary.count({ type: 'usage', choice: 0, ...usage });
}
