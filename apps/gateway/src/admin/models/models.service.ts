import type { Model, StrategyChange } from '@callsmith/contracts';
import {
  findModel,
  forgetLearned,
  lastUses,
  listModels,
  type ModelDetail,
  type ModelEntry,
  PrismaService,
  StoreDirectory,
  takenNames,
  updateModel,
  usageBy,
} from '@callsmith/data';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { type Caller, teamOf } from '../access/caller.ts';
import { refuseUnknownDialect } from './known-dialect.ts';
import { changeColumns, type ModelChange } from './model-change.ts';
import { type ModelActivity, modelView, noActivity, outcomesIn } from './model-view.ts';
import { strategyChanges } from './strategy-changes.ts';

const MOST_CHANGES = 200;
const DAY_MS = 86_400_000;

/** Models and their settings. Those on offer are shown; demo models only while the demo is on. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly directory: StoreDirectory,
  ) {}

  async list(caller: Caller): Promise<{ items: Model[] }> {
    const entries = new Map(this.directory.models().map((entry) => [entry.id, entry]));
    const [rows, activity] = await Promise.all([listModels(this.prisma), this.#activity(caller)]);
    return {
      items: rows.flatMap((row) => {
        const entry = entries.get(row.id);
        return entry ? [modelView(row, entry, activity.get(row.id) ?? noActivity)] : [];
      }),
    };
  }

  async show(id: string, caller: Caller): Promise<Model> {
    const { row, entry } = await this.#find(id);
    return modelView(row, entry, (await this.#activity(caller)).get(row.id) ?? noActivity);
  }

  /** Takes effect on the next request. */
  async change(
    id: string,
    { reason, ...asked }: ModelChange & { reason?: string | undefined },
    caller: Caller,
  ): Promise<Model> {
    const { row } = await this.#find(id);
    refuseUnknownDialect(asked.dialect);
    if (asked.aliases) await this.#refuseTaken(asked.aliases, row);
    await updateModel(this.prisma, { actor: caller.actor, reason }, row.id, changeColumns(asked));
    await this.directory.refresh();
    return this.show(row.id, caller);
  }

  async forget(id: string, caller: Caller): Promise<Model> {
    const { row } = await this.#find(id);
    await forgetLearned(this.prisma, { actor: caller.actor }, row.id);
    await this.directory.refresh();
    return this.show(row.id, caller);
  }

  async changes(id: string): Promise<{ items: StrategyChange[] }> {
    const { row } = await this.#find(id);
    return { items: await strategyChanges(this.prisma, { modelId: row.id, limit: MOST_CHANGES }) };
  }

  /** The last 24 hours, as far as the caller may see them. */
  async #activity(caller: Caller): Promise<ReadonlyMap<string, ModelActivity>> {
    const to = new Date();
    const teamId = teamOf(caller);
    const modelIds = this.directory.models().map(({ id }) => id);
    const [sums, uses] = await Promise.all([
      usageBy(this.prisma, { from: new Date(to.getTime() - DAY_MS), to, teamId }, 'model'),
      lastUses(this.prisma, { modelIds, teamId, since: new Date(to.getTime() - 30 * DAY_MS) }),
    ]);
    const counts = new Map(sums.map(({ id, ...sum }) => [id, sum]));
    return new Map(
      modelIds.map((id) => [
        id,
        { outcomes: outcomesIn(counts.get(id) ?? noActivity.outcomes), lastUsedAt: uses.get(id) ?? null },
      ]),
    );
  }

  /** By surrogate id or name (D-21). */
  async #find(idOrName: string): Promise<{ row: ModelDetail; entry: ModelEntry }> {
    const row = await findModel(this.prisma, idOrName);
    const entry = row && this.directory.models().find(({ id }) => id === row.id);
    if (!row || !entry) throw new Fault('model_not_found', `There is no model "${idOrName.slice(0, 200)}".`);
    return { row, entry };
  }

  async #refuseTaken(aliases: readonly string[], { id, name }: ModelDetail): Promise<void> {
    const taken = await takenNames(this.prisma, aliases, id);
    const fields = aliases.flatMap((alias, at) => {
      const twice = alias === name || aliases.indexOf(alias) !== at || taken.includes(alias);
      return twice ? [{ path: `aliases[${at}]`, message: `"${alias}" is a model's name already` }] : [];
    });
    const [first] = fields;
    if (first) throw new Fault('conflict', `${first.path}: ${first.message}`, { param: first.path, fields });
  }
}
