import { rawPrompt } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { estimateTokens } from '../upstream/count-tokens.ts';
import { type RawJob, runRawAttempt } from '../upstream/raw-attempt.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { Breaker } from './breaker.ts';
import { firstRoute, tryAgain, tryUntilAnswered, type UpstreamAttempt } from './retry.ts';

/**
 * Passes a reply's bytes through as they come. While none has gone out, an upstream in trouble is tried again and then
 * the next one is (D-23). Throws the last one's fault.
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
    // A client that hung up gets nothing; one that is stopped for another reason gets that reason.
    if (signal.reason instanceof Fault) throw signal.reason;
    return;
  }
  // Where half an answer is out, this ends the connection: it must not look like a whole one.
  if (failure) throw failure.fault;
  await estimate(job);
}

/** Counts what the upstream did not count; the answer is out. A prompt's tokens may have been counted by the client. */
async function estimate({ response: { summary }, body, lists }: RawJob): Promise<void> {
  if (summary.usage !== undefined) return;
  const prompt = [rawPrompt(body)].flat(2).filter((part) => !lists.isMark(part));
  const texts = prompt.filter((part) => typeof part === 'string');
  const tokens = lists.tokens + prompt.filter((part) => typeof part === 'number').length;
  const usage = await estimateTokens(texts.join('\n'), { sample: summary.textSample, length: summary.textLength });
  summary.count({ type: 'usage', choice: 0, ...usage, inputTokens: usage.inputTokens + tokens });
}
