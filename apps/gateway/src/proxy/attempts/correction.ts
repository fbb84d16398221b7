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

/** A try whose answer has no usable call where one was meant. */
export interface UnusableTry {
  readonly reply: UnusableReply;
  readonly prepared: PreparedRequest;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
}

/** How an answer that was asked for again ended, and the request that it answers. */
export interface CorrectedAnswer {
  readonly failure: AttemptFailure | undefined;
  readonly prepared: PreparedRequest;
  /** A further try that nothing at its place answered, although an answer before it is delivered. */
  readonly unreached?: AttemptFailure | undefined;
}

/** One request of a correction. */
interface UpstreamAttempt {
  readonly prepared: PreparedRequest;
  readonly messages: readonly Message[];
  /** As `CorrectionRequest`'s. */
  readonly asked: Turn;
}

/** A try that was made. */
interface MadeTry extends UpstreamAttempt {
  readonly raw: RawAnswer | undefined;
  readonly usage: Usage | undefined;
  /** Undefined: its answer is good, or none came. */
  readonly reply: UnusableReply | undefined;
  readonly kept: SummarySnapshot;
}

type UnusableMade = MadeTry & { readonly reply: UnusableReply };

/**
 * D-35: asks again for an answer that is of no use, as often as its model's setting, its key's limits and the time allow.
 * The model's own output and one message are appended to the request; an empty answer is asked for once more as it is.
 * Where no try brings a usable answer, the last one that holds a call goes out as it is, or else text.
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

  /** Resolves when an answer is out, or nothing can be. */
  async run(): Promise<CorrectedAnswer> {
    const { job, first } = this;
    const { model, signal } = job;
    let last = this.made({ prepared: first.prepared, messages: [], asked: job.turn }, first.reply) as UnusableMade;
    let best = last;
    for (let number = 1; number <= model.maxCorrections.value; number++) {
      const next = this.held(nextTry(last, number), last);
      if (!(await this.mayTry(next)) || signal.aborted) break;
      const { result, isOut } = await this.ask(next);
      if (signal.aborted) return { failure: undefined, prepared: next.prepared };
      const reply = result && 'answer' in result ? result : undefined;
      const made = this.made(next, reply);
      if (result === undefined) return this.corrected(made);
      if (reply === undefined) {
        // What is out of it already has no other end than its own.
        const failure = result as AttemptFailure;
        if (isOut) return this.deliver(made, failure);
        if (failure.kind === 'connect' || failure.kind === 'reset') this.unreached = failure;
        break;
      }
      last = made as UnusableMade;
      if (isOut || worth(last) >= worth(best)) best = last;
      // Who announces a call once more is not asked for it a third time.
      if (last.reply.answer.unusable.kind === 'announced') break;
    }
    return this.release(best);
  }

  /** Constrains the engine to the tool whose only call was unusable, where it is known to apply that. */
  private held(next: UpstreamAttempt, { reply }: UnusableMade): UpstreamAttempt {
    const { log, model, turn } = this.job;
    const { unusable } = reply.answer;
    const [call, ...more] = unusable.kind === 'calls' ? unusable.calls : [];
    if (call?.tool === undefined || more.length > 0 || log.route === undefined) return next;
    return { ...next, prepared: constrainedToTool(call.tool.name, next.prepared, { model, turn, route: log.route }) };
  }

  /** There is time left, and budget. */
  private async mayTry({ prepared }: UpstreamAttempt): Promise<boolean> {
    const { job, until } = this;
    return performance.now() < until && ((await job.reserveTry?.(prepared.turn)) ?? true);
  }

  /** Sends one request; `isOut`: some of its answer went to the client. */
  private async ask({ prepared }: UpstreamAttempt): Promise<{
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

  private made(next: UpstreamAttempt, reply: UnusableReply | undefined): MadeTry {
    const { log, response } = this.job;
    const usage = reply?.answer.usage ?? response.summary.usage;
    const made = { ...next, raw: log.raw, reply, usage, kept: response.summary.keep() };
    this.tries.push(made);
    return made;
  }

  private async corrected(made: MadeTry): Promise<CorrectedAnswer> {
    const { response } = this.job;
    for (const { reply } of this.tries)
      if (reply) for (const note of notesOf(reply.answer.unusable)) response.note(note);
    response.summary.markCorrected();
    return this.deliver(made, undefined);
  }

  /** No try brought anything better. */
  private release(best: UnusableMade): Promise<CorrectedAnswer> {
    const { summary } = this.job.response;
    summary.restore(best.kept);
    return this.deliver(best, best.reply.release());
  }

  private async deliver(made: MadeTry, failure: AttemptFailure | undefined): Promise<CorrectedAnswer> {
    const { log, response, timing, turn } = this.job;
    log.strategyUsed = made.prepared.strategyUsed;
    // The head was out before the later tries began.
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

/** An answer that came too late, as one that did not come. */
const tookTooLong = { fault: new Fault('upstream_timeout'), kind: 'silent' } satisfies AttemptFailure;

/** How long all further tries may take. So short a first try says nothing of how long another takes, below a second. */
const limitMs = (firstMs: number): number => Math.min(30_000, Math.max(1_000, 2 * firstMs));

function nextTry({ prepared, reply, raw, asked }: UnusableMade, number: number): UpstreamAttempt {
  const { unusable } = reply.answer;
  if (number === 1 && (unusable.kind === 'empty' || unusable.kind === 'call-in-reasoning')) {
    const again = withTurn(prepared, sampledAgain(prepared.turn, number));
    // Where the server takes no seed, the same bytes could bring the same answer out of a cache.
    if (again.json !== prepared.json) return { prepared: again, messages: [], asked };
  }
  const [said] = raw?.raw() ?? [];
  const messages = correctionMessages({
    unusable,
    text: said?.text ?? '',
    reasoning: said?.reasoning ?? '',
    strategyUsed: prepared.sentBy,
    dialect: prepared.taught,
    asked,
    tries: number,
  });
  const turn = { ...prepared.turn, messages: [...prepared.turn.messages, ...messages] };
  return {
    prepared: withTurn(prepared, turn),
    messages,
    asked: { ...asked, messages: [...asked.messages, ...messages] },
  };
}

/** The same request with other bytes: a cache of answers would give the same one again. */
function sampledAgain(turn: Turn, number: number): Turn {
  const { seed } = turn.sampling;
  return { ...turn, sampling: { ...turn.sampling, seed: (typeof seed === 'number' ? seed : 0) + number } };
}

/** How much an answer that is of no use still has to say: a call, text, or nothing. */
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

/** What was found in an answer that was asked for again. */
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

/** The tokens of a try whose server did not tell them. */
async function estimateOf({ raw, prepared }: MadeTry, turn: Turn): Promise<Usage> {
  const [said] = raw?.raw() ?? [];
  const text = (said?.text ?? '') + (said?.reasoning ?? '') + JSON.stringify(said?.fragments ?? []);
  const sample = JSON.stringify(text.slice(0, 8192)).slice(1, -1);
  return estimateTokens({ ...turn, messages: prepared.turn.messages }, { sample, length: text.length });
}
