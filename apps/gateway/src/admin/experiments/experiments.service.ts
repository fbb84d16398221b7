import type { api, Experiment, InputOf } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import {
  decideExperiment,
  experimentArms,
  findExperiment,
  listExperiments,
  type Experiment as StoredExperiment,
  startExperiment,
} from '@callsmith/data/experiments';
import { findModel, type ModelDetail } from '@callsmith/data/models';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { emailsOf } from '@callsmith/data/users';
import { formName, judgeExperiment } from '@callsmith/evaluate';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { refuseUnknownDialect } from '../models/known-dialect.ts';
import { ModelsService } from '../models/models.service.ts';
import { unknownModel } from '../models/unknown-model.ts';

/** The settings of a new experiment. */
type Wish = InputOf<typeof api.experiments.start>['body'];

/** Strategies that get a share of a model's new conversations for a limited time. */
@Injectable()
export class ExperimentsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly models: ModelsService,
  ) {}

  async start(idOrName: string, { strategy, dialect, share, hours }: Wish, { actor }: Caller): Promise<Experiment> {
    const model = await this.#model(idOrName);
    refuseUnknownDialect(dialect);
    const begun = await startExperiment(
      this.prisma,
      { actor },
      {
        ...{ modelId: model.id, strategy, dialect: dialect ?? null, share, hours },
        before: { strategy: model.strategy, dialect: model.dialect },
      },
    );
    if (!begun) throw new Fault('conflict', 'Another experiment of this model is running. Undo it first.');
    await this.snapshot.refresh();
    return this.#view(begun);
  }

  async list(idOrName: string): Promise<{ items: Experiment[] }> {
    const { id } = await this.#model(idOrName);
    const rows = await listExperiments(this.prisma, id);
    const emails = await emailsOf(
      this.prisma,
      rows.map(({ actor }) => actor),
    );
    return { items: await Promise.all(rows.map((row) => this.#viewBy(emails, row))) };
  }

  async keep(id: string, caller: Caller): Promise<Experiment> {
    const found = await this.#find(id);
    if (found.state !== 'running' && found.state !== 'done')
      throw new Fault('conflict', `This experiment was already ${found.state}.`);
    const { strategy, dialect } = found;
    const change = { strategy, ...(dialect !== null && { dialect }) };
    return this.#decide(found, 'kept', change, caller);
  }

  async undo(id: string, caller: Caller): Promise<Experiment> {
    const found = await this.#find(id);
    if (found.state === 'undone') throw new Fault('conflict', 'This experiment was already undone.');
    const { strategy, dialect } = found.before;
    const change = { strategy: strategy as Experiment['strategy'], dialect };
    return this.#decide(found, 'undone', found.state === 'kept' ? change : undefined, caller);
  }

  async #decide(
    found: StoredExperiment,
    state: 'kept' | 'undone',
    change: Parameters<ModelsService['change']>[1] | undefined,
    caller: Caller,
  ): Promise<Experiment> {
    const result = await this.#resultOf(found);
    const { id, modelId } = found;
    if (change) await this.models.change(modelId, { ...change, reason: `Experiment: ${result.sentence}` }, caller);
    await decideExperiment(this.prisma, { actor: caller.actor }, { id, modelId, result, state });
    await this.snapshot.refresh();
    return this.#view(await this.#find(id));
  }

  /** Final results, or interim ones. */
  async #resultOf(experiment: StoredExperiment): Promise<Experiment['result']> {
    if (experiment.result !== null) return experiment.result as Experiment['result'];
    const { tried, others } = await experimentArms(this.prisma, experiment);
    return judgeExperiment(formName(experiment), tried, others);
  }

  async #view(experiment: StoredExperiment): Promise<Experiment> {
    return this.#viewBy(await emailsOf(this.prisma, [experiment.actor]), experiment);
  }

  async #viewBy(emails: ReadonlyMap<string, string>, experiment: StoredExperiment): Promise<Experiment> {
    const { before: _, at, until, endedAt, actor, ...rest } = experiment;
    return {
      ...rest,
      at: at.toISOString(),
      until: until.toISOString(),
      endedAt: endedAt?.toISOString() ?? null,
      actor: emails.get(actor) ?? actor,
      result: await this.#resultOf(experiment),
    };
  }

  async #find(id: string): Promise<StoredExperiment> {
    const found = await findExperiment(this.prisma, id);
    if (!found) throw new Fault('not_found', 'Experiment not found.');
    return found;
  }

  async #model(idOrName: string): Promise<ModelDetail> {
    const row = await findModel(this.prisma, idOrName);
    if (!row) throw unknownModel(idOrName);
    return row;
  }
}
