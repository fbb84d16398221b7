import type { PrismaService } from '@callsmith/data/database';
import {
  EXAMPLES,
  type Probe,
  type ProbeArm,
  type ProbeFindings,
  type ProbeRow,
  storeProbedLessons,
  storeProgress,
} from '@callsmith/data/probes';
import {
  examplesHelp,
  judge,
  type ProbeQuestion,
  probeQuestions,
  probeRequests,
  type SavedCases,
  wantsCall,
} from '@callsmith/evaluate';
import type { MeasuredAnswer, ProbeClient } from './probe-client.ts';
import { supportLessons } from './support-lessons.ts';

/** Concurrent requests. */
const AT_ONCE = 4;
/** This many requests in a row without a response end an arm. */
const MOST_REFUSED = 5;
/** How often it sends its heartbeat, stores its results, and notices a cancellation. */
const BEAT_MS = 1_000;

/** A probe with its saved cases. */
export type ProbeToRun = Probe & { readonly savedCases: SavedCases };

/** How a run ended; `stopped`: its process stops, or it was ended elsewhere. */
export type ProbeRunResult = 'stopped' | { readonly state: 'done' | 'failed'; readonly problem: string | null };

/** One run of a probe: sends the open questions, each in all arms before the next, so that they stay paired. */
export class ProbeRun {
  private readonly rows: ProbeRow[];
  private support: ProbeFindings['support'];
  private requests: number;
  private tokens: number;
  private readonly began = performance.now();
  private readonly over = new AbortController();
  private kept = Promise.resolve();
  /** Consecutive requests without a response, by arm. */
  private readonly refusals: number[];
  private lastRefusal = '';

  constructor(
    private readonly prisma: PrismaService,
    private readonly client: ProbeClient,
    private readonly probe: ProbeToRun,
  ) {
    this.rows = [...probe.rows];
    this.support = probe.support;
    this.requests = probe.spent.requests;
    this.tokens = probe.spent.tokens;
    this.refusals = probe.arms.map((_, arm) => this.refusedLast(arm));
  }

  /** Rejects if the model is gone or the process is stopping. */
  async run(signal: AbortSignal): Promise<ProbeRunResult> {
    const stop = AbortSignal.any([signal, this.over.signal]);
    const beat = setInterval(() => void this.keep(), BEAT_MS);
    try {
      if (this.support === null) await this.findSupport(stop);
      // Only the results show whether more must be sent.
      for (let open = this.openQuestions(); open.length > 0 && this.goesOn(stop); open = this.openQuestions()) {
        const next = open.values();
        await Promise.all(Array.from({ length: AT_ONCE }, () => this.work(next, stop)));
      }
    } finally {
      clearInterval(beat);
      await this.keep();
    }
    if (stop.aborted) return 'stopped';
    if (this.rows.length > 0 && this.rows.every(({ refused }) => refused))
      return { state: 'failed', problem: `The upstream did not answer any request. ${this.lastRefusal}`.trim() };
    // Further questions are sent as far as the budget allows.
    const { arms, seed, size, savedCases } = this.probe;
    const first = arms.length * probeQuestions(seed, size, savedCases).length;
    const ended = this.rows.length < first ? this.overBudget() : null;
    // If the budget ended it early, the comparison is incomplete.
    if (ended === null) await this.keepExamplesLesson();
    return { state: 'done', problem: ended };
  }

  private async findSupport(stop: AbortSignal): Promise<void> {
    this.support = await this.client.support(this.probe, stop);
    this.requests += this.support.length;
    if (!stop.aborted) await storeProbedLessons(this.prisma, this.probe, 'server', supportLessons(this.support));
  }

  /** The result of comparing the prompt with and without example calls; none if that was not compared. */
  private async keepExamplesLesson(): Promise<void> {
    const rowsWhere = (shown: boolean) =>
      this.rows.filter(({ arm }) => (this.probe.arms[arm] as ProbeArm).examples === shown);
    const [withThem, without] = [rowsWhere(true), rowsWhere(false)];
    if (withThem.length === 0) return;
    const help = examplesHelp(withThem, without);
    const lesson = { what: EXAMPLES, value: true, reason: `Probe: ${help}.` };
    await storeProbedLessons(this.prisma, this.probe, 'example calls', help === undefined ? [] : [lesson]);
  }

  private async work(open: IterableIterator<[question: ProbeQuestion, arm: number]>, stop: AbortSignal): Promise<void> {
    for (const [question, arm] of open) {
      if (!this.goesOn(stop)) return;
      const row = await this.rowOf(question, arm, stop);
      if (stop.aborted) return;
      this.rows.push(row);
    }
  }

  private async rowOf(question: ProbeQuestion, at: number, stop: AbortSignal): Promise<ProbeRow> {
    if ((this.refusals[at] ?? 0) >= MOST_REFUSED) return this.row(question, at, notAsked);
    this.requests++;
    const answer = await this.client.ask(this.probe, this.probe.arms[at] as ProbeArm, question.request, stop);
    this.tokens += (answer.inputTokens ?? 0) + (answer.outputTokens ?? 0);
    if (answer.refusal === null) this.refusals[at] = 0;
    else if (!stop.aborted) {
      this.refusals[at] = (this.refusals[at] ?? 0) + 1;
      this.lastRefusal = answer.refusal;
    }
    return this.row(question, at, answer);
  }

  private row(question: ProbeQuestion, arm: number, answer: MeasuredAnswer): ProbeRow {
    const judgement = judge(answer, question.expects);
    const right = answer.refusal === null && judgement.right;
    return {
      arm,
      key: question.key,
      case: question.case,
      streamed: question.streamed,
      wanted: wantsCall(question),
      right,
      why: answer.refusal ?? (judgement.right ? null : judgement.why),
      said: right ? null : answerText(answer),
      calls: answer.calls.length,
      valid: answer.calls.every(({ valid }) => valid),
      clean: answer.clean,
      refused: answer.refusal !== null,
      inputTokens: answer.inputTokens,
      outputTokens: answer.outputTokens,
      firstTokenMs: answer.firstTokenMs,
    };
  }

  /** The open questions, with all arms of a question in a row. */
  private openQuestions(): [question: ProbeQuestion, arm: number][] {
    const askedKeys = new Set(this.rows.map(({ arm, key }) => `${arm} ${key}`));
    const arms = this.probe.arms.map((_, arm) => ({ name: '', rows: this.rows.filter((row) => row.arm === arm) }));
    return probeRequests({ ...this.probe, arms }).filter(([question, arm]) => !askedKeys.has(`${arm} ${question.key}`));
  }

  private goesOn(stop: AbortSignal): boolean {
    return !stop.aborted && this.overBudget() === null;
  }

  /** Which part of the budget is used up, in a sentence; null: none. */
  private overBudget(): string | null {
    const { requests, tokens, minutes } = this.probe.budget;
    if (this.requests >= requests) return `It ended early: its budget of ${requests} requests was used up.`;
    if (this.tokens >= tokens) return `It ended early: its budget of ${tokens} tokens was used up.`;
    return this.spentMs() >= minutes * 60_000 ? `It ended early: its ${minutes} minutes were over.` : null;
  }

  private spentMs(): number {
    return Math.round(this.probe.spent.ms + performance.now() - this.began);
  }

  private refusedLast(arm: number): number {
    const own = this.rows.filter((row) => row.arm === arm);
    const answered = own.findLastIndex(({ refused }) => !refused);
    return own.length - 1 - answered;
  }

  private keep(): Promise<void> {
    this.kept = this.kept.then(async () => {
      const { rows, support, requests, tokens } = this;
      const spent = { requests, tokens, ms: this.spentMs() };
      // A short outage of the store does not end a probe.
      const alive = await storeProgress(this.prisma, this.probe.id, { rows, support, spent }).catch(() => true);
      if (!alive) this.over.abort();
    });
    return this.kept;
  }
}

const LONGEST_ANSWER = 500;

/** An answer's text and calls, shortened. */
const answerText = ({ text, calls }: MeasuredAnswer): string =>
  [text, ...calls.map(({ name, arguments: args }) => `${name}(${args})`)]
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, LONGEST_ANSWER);

const notAsked: MeasuredAnswer = {
  text: '',
  calls: [],
  clean: false,
  refusal: `not asked: ${MOST_REFUSED} requests before it had no answer`,
  inputTokens: null,
  outputTokens: null,
  firstTokenMs: null,
};
