import type { CompletionJob } from './completion-job.ts';
import { estimateTokens } from './count-tokens.ts';

/** Counts what passed through where the server did not, before the last frame of a stream that is to end with it. */
export async function countPassed(job: CompletionJob): Promise<void> {
  const { turn, response } = job;
  if (!turn.stream || !turn.includeUsage || response.summary.usage !== undefined) return;
  await estimatePassed(job);
  if (response.summary.usage) response.passUsage(response.summary.usage);
}

/** Counts what passed through for the record, once the answer is out. */
export async function estimatePassed({ response: { summary }, turn }: CompletionJob): Promise<void> {
  if (summary.usage !== undefined) return;
  const usage = await estimateTokens(turn, { sample: summary.textSample, length: summary.textLength });
  summary.count({ type: 'usage', choice: 0, ...usage });
}
