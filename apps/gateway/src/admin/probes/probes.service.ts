import {
  type api,
  type InputOf,
  mostSavedCases,
  type Probe,
  type ProbeHead,
  type SavedCase,
} from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { findModel } from '@callsmith/data/models';
import {
  cancelProbe,
  deleteCase,
  findProbe,
  listProbes,
  listSavedCases,
  type Probe as StoredProbe,
  saveCase,
  savedCasesOf,
} from '@callsmith/data/probes';
import { type ModelEntry, PostgresConfigSnapshot, type Route } from '@callsmith/data/snapshot';
import { beginProbe, JOB_RUNNER, type JobRunner, PROBE_CLIENT, type ProbeClient } from '@callsmith/jobs';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { unknownModel } from '../models/unknown-model.ts';
import { checkCase } from './check-case.ts';
import { probeHeadView, probeView, savedCaseView } from './probe-view.ts';

/** The settings of a new probe. */
type Wish = NonNullable<InputOf<typeof api.probes.start>['body']>;

type NewCase = NonNullable<InputOf<typeof api.probes.saveCase>['body']>;

/**
 * Sends models the same questions with several strategies, as a job. The questions are built in, or saved by admins for
 * everyone, so every team may see them.
 */
@Injectable()
export class ProbesService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    @Inject(JOB_RUNNER) private readonly jobs: JobRunner,
    @Inject(PROBE_CLIENT) private readonly client: ProbeClient,
  ) {}

  async start(idOrName: string, { size = 'quick', upstreamId, budget }: Wish, { actor }: Caller): Promise<Probe> {
    const model = await this.#model(idOrName);
    const { upstream } = routeOf(model, upstreamId);
    const { prisma, jobs, client } = this;
    const started = await beginProbe(
      { prisma, jobs, client },
      { actor },
      {
        modelId: model.id,
        upstreamId: upstream.id,
        engineVersion: upstream.engineVersion ?? null,
        cause: 'asked',
        size,
        budget,
      },
    );
    if ('busy' in started) throw new Fault('conflict', busyMessages[started.busy]);
    return this.#view(started.probe);
  }

  async list(idOrName: string): Promise<{ items: ProbeHead[] }> {
    const model = await this.#model(idOrName);
    const probes = await listProbes(this.prisma, model.id);
    return { items: probes.map((probe) => probeHeadView(probe, this.#upstreamOf(probe))) };
  }

  async show(id: string): Promise<Probe> {
    return this.#view(await this.#find(id));
  }

  async cancel(id: string, { actor }: Caller): Promise<Probe> {
    await cancelProbe(this.prisma, { actor }, await this.#find(id));
    return this.show(id);
  }

  async cases(idOrName: string): Promise<{ items: SavedCase[] }> {
    const { id } = await this.#model(idOrName);
    return { items: (await listSavedCases(this.prisma, id)).map(savedCaseView) };
  }

  async saveCase(idOrName: string, content: NewCase, { actor }: Caller): Promise<SavedCase> {
    const { id: modelId } = await this.#model(idOrName);
    const { title, expects } = content;
    const request = checkCase(content);
    const saved = await saveCase(this.prisma, { actor }, { modelId, title, request, expects });
    if (!saved)
      throw new Fault('conflict', `This model already has ${mostSavedCases} saved cases. Delete one of them first.`);
    return savedCaseView(saved);
  }

  async deleteCase(id: string, { actor }: Caller): Promise<Record<string, never>> {
    if (!(await deleteCase(this.prisma, { actor }, id))) throw new Fault('not_found', 'Case not found.');
    return {};
  }

  async #view(probe: StoredProbe): Promise<Probe> {
    return probeView(probe, await savedCasesOf(this.prisma, probe), this.#upstreamOf(probe));
  }

  /** Its name; null: it is gone. */
  #upstreamOf({ upstreamId }: Pick<StoredProbe, 'upstreamId'>): string | null {
    const routes = this.snapshot.models().flatMap((model) => model.routes);
    return routes.find(({ upstream }) => upstream.id === upstreamId)?.upstream.name ?? null;
  }

  async #find(id: string): Promise<StoredProbe> {
    const probe = await findProbe(this.prisma, id);
    if (!probe) throw new Fault('not_found', 'Probe not found.');
    return probe;
  }

  async #model(idOrName: string): Promise<ModelEntry> {
    const row = await findModel(this.prisma, idOrName);
    const entry = row && this.snapshot.models().find(({ id }) => id === row.id);
    if (!entry) throw unknownModel(idOrName);
    return entry;
  }
}

function routeOf({ name, routes }: ModelEntry, upstreamId: string | undefined): Route {
  const route = upstreamId === undefined ? routes[0] : routes.find(({ upstream }) => upstream.id === upstreamId);
  if (route) return route;
  const message = upstreamId === undefined ? 'no upstream serves it right now' : `"${upstreamId}" does not serve it`;
  throw new Fault('conflict', `${name.slice(0, 200)}: ${message}.`, { param: 'upstreamId' });
}

const busyMessages = {
  model: 'Another probe of this model is running. Wait until it finishes, or cancel it.',
  others: 'Two probes of other models are running. Wait until one of them finishes.',
} as const;
