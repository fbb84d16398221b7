import type { BuiltInName, TrialAnswer, TrialRow } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { claimTrial, endTrial, storeTrialRows, type Trial } from '@callsmith/data/trials';
import { bodyOf, findTurn } from '@callsmith/data/turns';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { JobContext, JobHandler, PayloadOf } from '../job.ts';
import { trial as job } from '../jobs/trial.ts';
import { builtInRequest } from '../trial/built-in-requests.ts';
import { TRIAL_RUNNER, type TrialRequest, type TrialRunner } from '../trial/trial-runner.ts';

/** Concurrent requests of a trial, which must leave the model's capacity to real users. */
const AT_ONCE = 2;
/** How often it sends its heartbeat, and notices a cancellation. */
const BEAT_MS = 1_000;

@Injectable()
export class TrialHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(
    private readonly prisma: PrismaService,
    @Inject(TRIAL_RUNNER) private readonly runner: TrialRunner,
  ) {}

  async run({ id }: PayloadOf<typeof job>, { signal }: JobContext): Promise<void> {
    const trial = await claimTrial(this.prisma, id);
    if (trial === undefined) return;
    try {
      const whole = await this.tryAll(trial, signal);
      await endTrial(this.prisma, id, whole ? undefined : STOPPED);
    } catch (error) {
      await endTrial(this.prisma, id, error instanceof Fault ? error.message : 'Something went wrong in Callsmith.');
      if (!(error instanceof Fault)) throw error;
    }
  }

  /** Tries the rows in order, storing each result. False: it was stopped before all were done. */
  private async tryAll(trial: Trial, signal: AbortSignal): Promise<boolean> {
    const rows = [...trial.rows];
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    let kept = Promise.resolve();
    const keep = (): Promise<void> => {
      kept = kept.then(async () => {
        // A short outage of the store does not end a trial; during a long one other processes end it.
        const alive = await storeTrialRows(this.prisma, trial.id, rows).catch(() => true);
        if (!alive) over.abort();
      });
      return kept;
    };
    const places = rows.keys();
    const work = async (): Promise<void> => {
      for (const at of places) {
        if (stop.aborted) return;
        const row = rows[at] as TrialRow;
        const answer = await this.tryRow(trial, row, stop);
        if (stop.aborted) return;
        rows[at] = { ...row, new: answer };
        await keep();
      }
    };
    const beat = setInterval(() => void keep(), BEAT_MS);
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } finally {
      over.abort();
      clearInterval(beat);
      await keep();
    }
    return rows.every((row) => row.new !== null);
  }

  private async tryRow(
    { modelId, strategy, dialect }: Trial,
    row: TrialRow,
    signal: AbortSignal,
  ): Promise<TrialAnswer> {
    const storedRequest = row.turn ? await this.stored(row.turn.id) : builtIn(row.builtIn as BuiltInName);
    if (storedRequest === undefined) return notFound;
    return this.runner.tryRequest({ modelId, strategy, dialect, ...storedRequest }, signal);
  }

  /** Undefined: it was deleted since the trial was requested. */
  private async stored(turnId: string): Promise<Asked | undefined> {
    const turn = await findTurn(this.prisma, turnId, undefined);
    const body = turn && (await bodyOf(this.prisma, turnId));
    if (!turn || typeof body?.clientRequest !== 'string') return undefined;
    return { request: body.clientRequest, route: turn.route, keyId: turn.keyId };
  }
}

type Asked = Pick<TrialRequest, 'request' | 'route' | 'keyId'>;

const STOPPED = 'The gateway that ran it was stopped before it finished.';

const builtIn = (name: BuiltInName): Asked => ({
  request: builtInRequest(name),
  route: '/v1/chat/completions',
  keyId: null,
});

const notFound: TrialAnswer = {
  outcome: null,
  classes: [],
  calls: 0,
  inputTokens: null,
  outputTokens: null,
  totalMs: 0,
  errorCode: 'not_found',
  errorMessage: 'The request is no longer stored.',
};
