import type { ModelEntry } from '@callsmith/data/snapshot';
import { type DelegatedTurn, delegatedCalls, delegatedTurn } from '@callsmith/toolcall';
import { Fault } from '@callsmith/turn';
import { Observers } from '../observers/index.ts';
import { AttemptLog, type Try, type UpstreamRequest } from '../record/attempt-log.ts';
import { newResponseSummary } from '../record/response-summary.ts';
import { UpstreamTiming } from '../record/upstream-timing.ts';
import type { DecidingResponse } from '../response/deciding-response.ts';
import { DiscardedResponse } from '../response/discarded-response.ts';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';

/** How often the calls of one decision are requested: a second time if a value in them was made up. */
const maxAttempts = 2;

/** The calls that the second model wrote, or why they cannot be used. */
type Written = ReturnType<typeof delegatedCalls> & { readonly notes?: ReturnType<typeof newResponseSummary>['notes'] };

/**
 * Requests the calls that one model decided on from a second model (H-9). The record contains both, and the tokens of
 * both count. If the second model fails or writes no call, the first one's text is the response.
 */
export class Delegation {
  private readonly tries: Try[] = [];

  constructor(
    /** Runs a job with all its attempts. */
    private readonly answer: (job: CompletionJob) => Promise<void>,
    private readonly job: CompletionJob,
    private readonly response: DecidingResponse,
  ) {}

  /**
   * Resolves when the calls were sent, or instead of them the text; or with the failure if neither is possible. `json`:
   * the body of the first model's request.
   */
  async run(delegate: ModelEntry, decision: string, json: string): Promise<AttemptFailure | undefined> {
    const { job, response } = this;
    const { log, turn, signal } = job;
    const first: Try = {
      classes: [],
      messages: [],
      body: log.body === undefined ? undefined : json,
      raw: log.raw,
      delivered: true,
    };
    let problem: string | undefined;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const request = delegatedTurn({ text: decision, clientTurn: turn, problem });
      if (!((await job.reserveTry?.(request.turn)) ?? true) || signal.aborted) break;
      const written = await this.ask(delegate, request);
      if (signal.aborted) return undefined;
      if (!('problem' in written) && written.calls.length > 0) {
        for (const note of written.notes ?? []) response.summary.count({ type: 'note', choice: 0, note });
        response.note({ stage: 'upstream', detail: `calls written by ${delegate.name}` });
        log.tries = [first, ...this.tries];
        response.call(written.calls);
        return undefined;
      }
      problem = 'problem' in written ? written.problem : undefined;
      if (problem === undefined) break;
    }
    log.tries = this.tries.length > 0 ? [first, ...this.tries] : [];
    response.note({
      stage: 'upstream',
      detail: `no calls written by ${delegate.name}${problem ? `: ${problem}` : ''}`,
    });
    if (turn.toolChoice !== 'auto') return { fault: new Fault('tool_call_required'), kind: 'answer' };
    response.answer();
    return undefined;
  }

  /** Sends one request to the second model, which has a record of its own. */
  private async ask(delegate: ModelEntry, request: DelegatedTurn): Promise<Written> {
    const { job, tries } = this;
    const { turn } = request;
    const summary = newResponseSummary();
    const log = new AttemptLog('delegation');
    const timing = new UpstreamTiming();
    const record = { ...job.record, attempts: log, upstream: timing, response: summary };
    const { delegate: _, fallbacks: __, store: ___, ...rest } = job;
    const response = new DiscardedResponse(turn, summary);
    // Observers do not see its events, but the request belongs to the same trace.
    const traced = { upstreamRequest: (request: UpstreamRequest) => job.observers.upstreamRequest(request, {}) };
    const observers = new Observers([() => traced], record, () => {});
    try {
      await this.answer({
        ...rest,
        record,
        log,
        timing,
        model: delegate,
        turn,
        response,
        observers,
        passthrough: undefined,
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      summary.fail(error);
    }
    job.log.count += log.count;
    job.log.requests.push(...log.requests);
    const { usage, discarded, answer, fault, notes } = summary;
    if (usage) this.response.summary.discard(usage);
    this.response.summary.discard({ ...discarded, source: 'upstream' });
    tries.push({ classes: [], messages: turn.messages, body: log.body, raw: log.raw, delivered: false });
    if (fault !== undefined) return { calls: [] };
    const made = answer.whole().choices[0]?.calls ?? [];
    const written = delegatedCalls(made, request);
    if ('problem' in written || written.calls.length < made.length) return written;
    return { ...written, notes: notes.filter(({ call }) => call !== undefined) };
  }
}
