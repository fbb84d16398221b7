import { builtInName, type Trial, type TrialRow } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { findModel } from '@callsmith/data/models';
import { type ModelEntry, PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import {
  cancelTrial,
  endTrial,
  findTrial,
  lastFailures,
  type Trial as StoredTrial,
  startTrial,
  type TrialTarget,
} from '@callsmith/data/trials';
import { JOB_RUNNER, type JobRunner, trialJob } from '@callsmith/jobs';
import { dialectFor } from '@callsmith/toolcall';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import { type Caller, confinedTo, refuseOtherTeam } from '../access/caller.ts';
import { refuseUnknownDialect } from '../models/known-dialect.ts';
import { unknownModel } from '../models/unknown-model.ts';
import { trialView } from './trial-view.ts';

const DAY_MS = 86_400_000;

/** The strategy and dialect that failed requests are tried with. */
interface Asked {
  readonly strategy: TrialTarget['strategy'];
  readonly dialect?: string | null | undefined;
}

/** Failed turns of a model, sent again with another strategy: those that the caller may read, as a job. */
@Injectable()
export class TrialsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    @Inject(JOB_RUNNER) private readonly jobs: JobRunner,
  ) {}

  async start(idOrName: string, { strategy, dialect }: Asked, caller: Caller): Promise<Trial> {
    refuseUnknownDialect(dialect);
    const model = await this.#model(idOrName);
    const target = { strategy, dialect: dialectIn(model, dialect) };
    const teamId = confinedTo(caller);
    const since = new Date(Date.now() - this.snapshot.settings.bodyDays * DAY_MS);
    const failed = await lastFailures(this.prisma, { modelId: model.id, teamId, since }, target);
    const started = await startTrial(
      this.prisma,
      { actor: caller.actor },
      { ...target, modelId: model.id, teamId: teamId ?? null, rows: failed.length > 0 ? failed : builtInRows },
    );
    if ('busy' in started) throw new Fault('conflict', busyMessages[started.busy]);
    if (started.begun) this.#ask(started.trial);
    return trialView(started.trial);
  }

  /** A trial of another team's turns is not there (security 29). */
  async show(id: string, caller: Caller): Promise<Trial> {
    return trialView(await this.#find(id, caller));
  }

  async cancel(id: string, caller: Caller): Promise<Trial> {
    await cancelTrial(this.prisma, { actor: caller.actor }, await this.#find(id, caller));
    return this.show(id, caller);
  }

  /** Not awaited: while the jobs' store is unreachable, reading may take as long as that. */
  #ask({ id }: StoredTrial): void {
    this.jobs
      .add(trialJob, { id }, { id })
      .catch(() => endTrial(this.prisma, id, 'The job queue is not available right now.'))
      .catch(() => {}); // with the database unreachable too, it fails by its missing heartbeat
  }

  async #find(id: string, caller: Caller): Promise<StoredTrial> {
    const trial = await findTrial(this.prisma, id);
    if (!trial) throw new Fault('not_found', 'Trial not found.');
    refuseOtherTeam(caller, trial.teamId, 'trial');
    return trial;
  }

  async #model(idOrName: string): Promise<ModelEntry> {
    const row = await findModel(this.prisma, idOrName);
    const entry = row && this.snapshot.models().find(({ id }) => id === row.id);
    if (!entry) throw unknownModel(idOrName);
    return entry;
  }
}

const busyMessages = {
  model: 'Another trial of this model is running. Wait until it finishes.',
  others: 'Two trials of other models are running. Wait until one of them finishes.',
} as const;

const builtInRows: readonly TrialRow[] = builtInName.options.map((builtIn) => ({
  turn: null,
  builtIn,
  old: null,
  new: null,
}));

/** Undefined: the one in effect; null: by the table of model ids, as for a model without a declared dialect. */
function dialectIn({ name, dialect, routes }: ModelEntry, requested: string | null | undefined): string {
  if (requested === undefined) return dialect.value;
  if (requested !== null) return requested;
  return (dialectFor(routes[0]?.upstreamModel ?? name) ?? dialectFor(name))?.name ?? 'auto';
}
