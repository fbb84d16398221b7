import { correctionMessages, type Unusable } from '@callsmith/toolcall';
import { Fault, type Finding, type FindingClass, type Message, type Turn, type Usage } from '@callsmith/turn';
import { keepsBodies } from '../observers/index.ts';
import type { Try } from '../record/attempt-log.ts';
import { BoundedSignal } from '../record/bounded-signal.ts';
import type { RawAnswer } from '../record/raw-answer.ts';
import type { SummarySnapshot } from '../record/response-summary.ts';
import { CorrectedResponse, hasText } from '../response/corrected-response.ts';
import { runAttempt } from '../upstream/attempt.ts';
import type { AttemptFailure, UnusableReply } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import { estimateTokens } from '../upstream/count-tokens.ts';
import { constrainedToTool, type PreparedRequest, withTurn } from '../upstream/prepare-request.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';

/** An attempt whose response has no usable call where one was intended. */
export interface UnusableTry {
  readonly reply: UnusableReply;
  readonly prepared: PreparedRequest;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
}

/** The result of a correction, and the request whose response was delivered. */
export interface CorrectedAnswer {
  readonly failure: AttemptFailure | undefined;
  readonly prepared: PreparedRequest;
  /** The failure of a later attempt that could not reach the upstream, although an earlier response is delivered. */
  readonly unreached?: AttemptFailure | undefined;
}

/** A request of a correction that is to be sent. */
interface UpstreamAttempt {
  readonly prepared: PreparedRequest;
  readonly messages: readonly Message[];
  /** The client's turn with the messages of all corrections so far; see `CorrectionRequest`. */
  readonly clientTurn: Turn;
}

/** An attempt that was made. */
interface MadeTry extends UpstreamAttempt {
  readonly raw: RawAnswer | undefined;
  readonly usage: Usage | undefined;
  /** The unusable response; undefined: the response is good, or none came. */
  readonly reply: UnusableReply | undefined;
  readonly kept: SummarySnapshot;
}

type UnusableMade = MadeTry & { readonly reply: UnusableReply };

/**
 * Corrects an unusable response by further requests (D-35), as often as the model's setting, the key's limits and the
 * time allow. The model's output and a message about its error are appended to the request; an empty response is first
 * sampled again. If no attempt gives a usable response, the last one with a call is delivered as it is, otherwise text.
 */
export class Correction {
  private readonly tries: MadeTry[] = [];
  private readonly until: number;
  private readonly firstByteAt: number | undefined;
  private unreached: AttemptFailure | undefined;

  constructor(
    private readonly client: UpstreamClient,
    private readonly job: CompletionJob,
    private readonly first: UnusableTry,
  ) {
    this.until = performance.now() + limitMs(first.tookMs);
    this.firstByteAt = job.timing.firstByteAt;
  }

  /** Resolves when a response was sent to the client, or with the failure. */
  async run(): Promise<CorrectedAnswer> {
    const { job, first } = this;
    const { model, signal } = job;
    let last = this.addTry(
      { prepared: first.prepared, messages: [], clientTurn: job.turn },
      first.reply,
    ) as UnusableMade;
    let best = last;
    for (let number = 1; number <= model.maxCorrections.value; number++) {
      const next = this.constrainedNext(nextTry(last, number), last);
      if (!(await this.mayTry(next)) || signal.aborted) break;
      const { result, isOut } = await this.send(next);
      if (signal.aborted) return { failure: undefined, prepared: next.prepared };
      const reply = result && 'answer' in result ? result : undefined;
      const made = this.addTry(next, reply);
      if (result === undefined) return this.corrected(made);
      if (reply === undefined) {
        // Part of the response was sent, so that it must end with its own failure.
        const failure = result as AttemptFailure;
        if (isOut) return this.deliver(made, failure);
        if (failure.kind === 'connect' || failure.kind === 'reset') this.unreached = failure;
        break;
      }
      last = made as UnusableMade;
      if (isOut || worth(last) >= worth(best)) best = last;
      // A model that only announces its call again is not asked a third time.
      if (last.reply.answer.unusable.kind === 'announced') break;
    }
    return this.release(best);
  }

  /** Constrains the engine to the tool of the only call that was unusable, if a constraint is known to work there. */
  private constrainedNext(next: UpstreamAttempt, { reply }: UnusableMade): UpstreamAttempt {
    const { log, model, turn } = this.job;
    const { unusable } = reply.answer;
    const [call, ...more] = unusable.kind === 'calls' ? unusable.calls : [];
    if (call?.tool === undefined || more.length > 0 || log.route === undefined) return next;
    return { ...next, prepared: constrainedToTool(call.tool.name, next.prepared, { model, turn, route: log.route }) };
  }

  /** True if there is time and budget for another attempt. */
  private async mayTry({ prepared }: UpstreamAttempt): Promise<boolean> {
    const { job, until } = this;
    return performance.now() < until && ((await job.reserveTry?.(prepared.turn)) ?? true);
  }

  /** Sends one request. `isOut`: part of its response was sent to the client. */
  private async send({ prepared }: UpstreamAttempt): Promise<{
    readonly result: AttemptFailure | UnusableReply | undefined;
    readonly isOut: boolean;
  }> {
    const { job, until } = this;
    const { log, response } = job;
    const hadText = hasText(response);
    const isOut = (): boolean =>
      response.committed && (response.summary.calls.length > 0 || hasText(response) !== hadText);
    log.count++;
    if (keepsBodies(job.record.request)) log.body = prepared.json;
    const signal = new BoundedSignal(job.signal, until - performance.now(), isOut);
    const again = { ...job, response: new CorrectedResponse(response), signal };
    const result = await runAttempt(this.client, again, {
      prepared,
      fresh: false,
      correctable: true,
      purpose: 'correction',
    });
    signal.end();
    return { result: result ?? (signal.timedOut ? tookTooLong : undefined), isOut: isOut() };
  }

  /** Keeps what is needed of an attempt once the next one begins. */
  private addTry(next: UpstreamAttempt, reply: UnusableReply | undefined): MadeTry {
    const { log, response } = this.job;
    const usage = reply?.answer.usage ?? response.summary.usage;
    const made = { ...next, raw: log.raw, reply, usage, kept: response.summary.keep() };
    this.tries.push(made);
    return made;
  }

  /** Delivers a good response, with the findings that led to it. */
  private async corrected(made: MadeTry): Promise<CorrectedAnswer> {
    const { response } = this.job;
    for (const { reply } of this.tries)
      if (reply) for (const note of notesOf(reply.answer.unusable)) response.note(note);
    response.summary.markCorrected();
    return this.deliver(made, undefined);
  }

  /** Delivers the best unusable response as it is. */
  private release(best: UnusableMade): Promise<CorrectedAnswer> {
    const { summary } = this.job.response;
    summary.restore(best.kept);
    return this.deliver(best, best.reply.release());
  }

  private async deliver(made: MadeTry, failure: AttemptFailure | undefined): Promise<CorrectedAnswer> {
    const { log, response, timing, turn } = this.job;
    log.strategyUsed = made.prepared.strategyUsed;
    // The response's head was sent before the later attempts began, so that the first byte counts from the first one.
    if (response.summary.firstSentAt !== undefined) timing.firstByteAt = this.firstByteAt;
    if (this.tries.length > 1) {
      log.raw = made.raw;
      if (log.body !== undefined) log.body = made.prepared.json;
      log.tries = this.tries.map((one) => recordOf(one, one === made, log.body !== undefined));
    }
    for (const one of this.tries)
      if (one !== made) response.summary.discard(one.usage ?? (await estimateOf(one, turn)));
    return { failure, prepared: made.prepared, unreached: this.unreached };
  }
}

/** The failure of an attempt that took too long. */
const tookTooLong = { fault: new Fault('upstream_timeout'), kind: 'silent' } satisfies AttemptFailure;

/**
 * How long all further attempts may take, in milliseconds: twice the first attempt, but at least a second, as a very
 * short first attempt says nothing about the next.
 */
const limitMs = (firstMs: number): number => Math.min(30_000, Math.max(1_000, 2 * firstMs));

function nextTry({ prepared, reply, raw, clientTurn }: UnusableMade, number: number): UpstreamAttempt {
  const { unusable } = reply.answer;
  if (number === 1 && (unusable.kind === 'empty' || unusable.kind === 'call-in-reasoning')) {
    const again = withTurn(prepared, sampledAgain(prepared.turn, number));
    // If the server takes no seed the request is the same, and a cache could return the same response.
    if (again.json !== prepared.json) return { prepared: again, messages: [], clientTurn };
  }
  const [output] = raw?.raw() ?? [];
  const messages = correctionMessages({
    unusable,
    text: output?.text ?? '',
    reasoning: output?.reasoning ?? '',
    strategyUsed: prepared.sentBy,
    dialect: prepared.promptDialect,
    clientTurn,
    tries: number,
  });
  const turn = { ...prepared.turn, messages: [...prepared.turn.messages, ...messages] };
  return {
    prepared: withTurn(prepared, turn),
    messages,
    clientTurn: { ...clientTurn, messages: [...clientTurn.messages, ...messages] },
  };
}

/** Changes the seed, so that a response cache does not return the same response again. */
function sampledAgain(turn: Turn, number: number): Turn {
  const { seed } = turn.sampling;
  return { ...turn, sampling: { ...turn.sampling, seed: (typeof seed === 'number' ? seed : 0) + number } };
}

/** Ranks unusable responses: 2 with a call, 1 with text, 0 with neither. */
function worth({ reply, kept }: UnusableMade): number {
  if (reply.answer.unusable.kind === 'calls') return 2;
  return kept.answer.whole().choices.some(({ text }) => text !== '') ? 1 : 0;
}

const classOf: Readonly<Record<Exclude<Unusable['kind'], 'calls'>, FindingClass>> = {
  empty: 'EmptyAnswer',
  'call-in-reasoning': 'CallInReasoning',
  'no-call': 'CallRequired',
  announced: 'AnnouncedNotCalled',
  rejected: 'EngineRejected',
};

const classesOf = (unusable: Unusable): FindingClass[] =>
  unusable.kind === 'calls' ? [...new Set(unusable.calls.map((call) => call.class))] : [classOf[unusable.kind]];

/** The findings in a response that was corrected. */
function notesOf(unusable: Unusable): Finding[] {
  const done = { action: 'corrected', stage: 'finalize' } as const;
  if (unusable.kind !== 'calls') return [{ ...done, class: classOf[unusable.kind] }];
  return unusable.calls.map(({ class: found, name, mismatch }) => ({
    ...done,
    class: found,
    tool: name,
    ...(mismatch && { detail: `${mismatch.path}: ${mismatch.keyword} (${mismatch.reason})` }),
  }));
}

const recordOf = ({ reply, messages, prepared, raw }: MadeTry, delivered: boolean, keepsBody: boolean): Try => ({
  classes: reply ? classesOf(reply.answer.unusable) : [],
  messages,
  body: keepsBody ? prepared.json : undefined,
  raw,
  delivered,
});

/** Estimates the tokens of an attempt whose server did not report them. */
async function estimateOf({ raw, prepared }: MadeTry, turn: Turn): Promise<Usage> {
  const [output] = raw?.raw() ?? [];
  const text = (output?.text ?? '') + (output?.reasoning ?? '') + JSON.stringify(output?.fragments ?? []);
  const sample = JSON.stringify(text.slice(0, 8192)).slice(1, -1);
  return estimateTokens({ ...turn, messages: prepared.turn.messages }, { sample, length: text.length });
}
