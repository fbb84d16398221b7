import type { Model, ModelFallback, NewModel, StrategyChange } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import {
  findModel,
  forgetLearned,
  insertModel,
  lastUses,
  listModels,
  type ModelDetail,
  removeModel,
  takenNames,
  updateModel,
  withDeclared,
} from '@callsmith/data/models';
import { type ModelEntry, PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { usageBy } from '@callsmith/data/stats';
import { Fault, type FieldFault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { constraintLesson, findConstraints } from '../../proxy/replay/find-constraints.ts';
import { ProxyService } from '../../proxy/request/proxy.service.ts';
import { type Caller, confinedTo } from '../access/caller.ts';
import { refuseManaged } from '../managed.ts';
import { checkedRoutes, type RequestedRoute } from './checked-routes.ts';
import { refuseUnknownDialect } from './known-dialect.ts';
import { changeColumns, type ModelChange, settingsIn } from './model-change.ts';
import { type ModelActivity, modelView, noActivity, outcomesIn } from './model-view.ts';
import { strategyChanges } from './strategy-changes.ts';
import { unknownModel } from './unknown-model.ts';

const MOST_CHANGES = 200;
const DAY_MS = 86_400_000;

/** Models and their settings. Only listed models are shown; demo models only while the demo is on. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly proxy: ProxyService,
  ) {}

  async list(caller: Caller): Promise<{ items: Model[] }> {
    const entries = new Map(this.snapshot.models().map((entry) => [entry.id, entry]));
    const [rows, activity] = await Promise.all([listModels(this.prisma), this.#activity(caller)]);
    return {
      items: rows.flatMap((row) => {
        const entry = entries.get(row.id);
        return entry ? [this.#view(row, entry, activity)] : [];
      }),
    };
  }

  async show(id: string, caller: Caller): Promise<Model> {
    const { row, entry } = await this.#find(id);
    return this.#view(row, entry, await this.#activity(caller));
  }

  /** Takes effect on the next request. */
  async change(
    id: string,
    {
      reason,
      routes: requestedRoutes,
      capabilities,
      ...changes
    }: ModelChange & {
      reason?: string | undefined;
      routes?: readonly RequestedRoute[] | undefined;
      capabilities?: Parameters<typeof withDeclared>[1] | undefined;
    },
    caller: Caller,
  ): Promise<Model> {
    const { row } = await this.#find(id);
    refuseManaged(row, 'This model');
    refuseUnknownDialect(changes.dialect);
    if (changes.aliases) await this.#refuseTaken(changes.aliases, row);
    if (changes.fallback) this.#checkFallback(changes.fallback, row);
    const routes = requestedRoutes && (await checkedRoutes(this.prisma, requestedRoutes, row));
    const declared = capabilities && { capabilities: withDeclared(row.capabilities, capabilities) };
    await updateModel(
      this.prisma,
      { actor: caller.actor, reason },
      { id: row.id, data: { ...changeColumns(changes), ...declared }, settings: settingsIn(changes), routes },
    );
    await this.snapshot.refresh();
    return this.show(row.id, caller);
  }

  /** Adds a model by hand, whether or not its upstreams list it. */
  async create({ name, aliases, routes: requestedRoutes, contextLength }: NewModel, caller: Caller): Promise<Model> {
    const [taken] = await takenNames(this.prisma, [name]);
    if (taken !== undefined) throw conflict([{ path: 'name', message: `"${name}" is already the name of a model` }]);
    await this.#refuseTaken(aliases, { id: undefined, name });
    const routes = await checkedRoutes(this.prisma, requestedRoutes, { name, demo: false });
    const { id } = await insertModel(this.prisma, { actor: caller.actor }, { name, aliases, contextLength, routes });
    await this.snapshot.refresh();
    return this.show(id, caller);
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    const { row } = await this.#find(id);
    if (row.demo) throw new Fault('conflict', 'This model is part of the demo; remove the demo instead.');
    refuseManaged(row, 'This model');
    await removeModel(this.prisma, { actor: caller.actor }, row.id);
    await this.snapshot.refresh();
    return {};
  }

  /** Clears what was learned: everything, or the named part. */
  async forget(
    id: string,
    named: { readonly upstreamId?: string | undefined; readonly what?: string | undefined },
    caller: Caller,
  ): Promise<Model> {
    const { row } = await this.#find(id);
    await forgetLearned(this.prisma, { actor: caller.actor }, { ...named, id: row.id });
    await this.snapshot.refresh();
    return this.show(row.id, caller);
  }

  /** Checks which constraints each of its upstreams enforces, and stores the results. */
  async checkConstraints(id: string, caller: Caller): Promise<Model> {
    const { row, entry } = await this.#find(id);
    const { client, lifecycle } = this.proxy;
    await Promise.all(
      entry.routes.map(async (route) => {
        const { id: upstreamId, engineVersion } = route.upstream;
        for (const found of await findConstraints(client, { model: entry, route }, lifecycle.stopSignal))
          this.snapshot.learn({ modelId: row.id, upstreamId, engineVersion, ...constraintLesson(found) });
      }),
    );
    await this.snapshot.writeLessons();
    await this.snapshot.refresh();
    return this.show(row.id, caller);
  }

  async changes(id: string): Promise<{ items: StrategyChange[] }> {
    const { row } = await this.#find(id);
    return { items: await strategyChanges(this.prisma, { modelId: row.id, limit: MOST_CHANGES }) };
  }

  #view(row: ModelDetail, entry: ModelEntry, activities: ReadonlyMap<string, ModelActivity>): Model {
    return modelView(row, entry, {
      activity: activities.get(row.id) ?? noActivity,
      breaker: this.proxy.breaker,
    });
  }

  /** The last 24 hours, as far as the caller may see them. */
  async #activity(caller: Caller): Promise<ReadonlyMap<string, ModelActivity>> {
    const to = new Date();
    const teamId = confinedTo(caller);
    const modelIds = this.snapshot.models().map(({ id }) => id);
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
    const entry = row && this.snapshot.models().find(({ id }) => id === row.id);
    if (!row || !entry) throw unknownModel(idOrName);
    return { row, entry };
  }

  /** A fallback's own fallbacks are not followed, so only the model itself would be a cycle. */
  #checkFallback(fallback: readonly ModelFallback[], { id }: { readonly id: string }): void {
    const fields = fallback.flatMap(({ model }, at): FieldFault[] => {
      const other = this.snapshot.model(model);
      const path = `fallback[${at}].model`;
      if (other === undefined) return [{ path, message: `must be an existing model; found "${model}"` }];
      return other.id === id ? [{ path, message: 'must be another model' }] : [];
    });
    const [first] = fields;
    if (first) throw new Fault('invalid_parameter', `${first.path}: ${first.message}`, { param: first.path, fields });
  }

  async #refuseTaken(
    aliases: readonly string[],
    { id, name }: { readonly id: string | undefined; readonly name: string },
  ): Promise<void> {
    const taken = await takenNames(this.prisma, aliases, id);
    const fields = aliases.flatMap((alias, at) => {
      const twice = alias === name || aliases.indexOf(alias) !== at || taken.includes(alias);
      return twice ? [{ path: `aliases[${at}]`, message: `"${alias}" is already the name of a model` }] : [];
    });
    if (fields.length > 0) throw conflict(fields);
  }
}

/** `fields` has at least one entry. */
function conflict(fields: readonly FieldFault[]): Fault {
  const [{ path, message } = { path: '', message: '' }] = fields;
  return new Fault('conflict', `${path}: ${message}`, { param: path, fields });
}
