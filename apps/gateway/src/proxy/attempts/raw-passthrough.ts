import { rawPrompt } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { estimateTokens } from '../upstream/count-tokens.ts';
import { type RawJob, runRawAttempt } from '../upstream/raw-attempt.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { Breaker } from './breaker.ts';
import { firstRoute, tryAgain, tryUntilAnswered, type UpstreamAttempt } from './retry.ts';

/**
 * Passes the bytes of a response through as they arrive. As long as none was sent to the client, a failing upstream is
 * tried again, and then the next one (D-23). Throws the last attempt's fault.
 */
export async function passThroughRaw(
  job: RawJob,
  { client, breaker }: { readonly client: UpstreamClient; readonly breaker: Breaker },
): Promise<void> {
  const { log, model, signal, response } = job;
  log.dropped = job.dropped;
  const failure = await tryUntilAnswered<UpstreamAttempt>({
    first: { route: firstRoute(model, breaker, Math.random) },
    log,
    breaker,
    signal,
    committed: () => response.opened,
    attempt: ({ route, fresh }) => {
      log.route = route;
      return runRawAttempt(client, job, { route, fresh: fresh === true });
    },
    after: (last, failure, tries) => tryAgain(model, breaker, { last, failure, tries }),
  });
  if (signal.aborted) {
    // A client that has disconnected gets nothing; for another reason, such as a shutdown, it gets that fault.
    if (signal.reason instanceof Fault) throw signal.reason;
    return;
  }
  // If part of the response was sent, this closes the connection, so that it does not look complete.
  if (failure) throw failure.fault;
  await estimate(job);
}

/**
 * Estimates the tokens if the upstream did not report them, after the response was sent. A prompt may consist of tokens
 * already, which are counted exactly.
 */
async function estimate({ response: { summary }, body, lists }: RawJob): Promise<void> {
  if (summary.usage !== undefined) return;
  const prompt = [rawPrompt(body)].flat(2).filter((part) => !lists.isMark(part));
  const texts = prompt.filter((part) => typeof part === 'string');
  const tokens = lists.tokens + prompt.filter((part) => typeof part === 'number').length;
  const usage = await estimateTokens(texts.join('\n'), { sample: summary.textSample, length: summary.textLength });
  summary.count({ type: 'usage', choice: 0, ...usage, inputTokens: usage.inputTokens + tokens });
}
