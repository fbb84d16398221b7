import { BUDGET_DAYS, callsWithin, isUsedUp } from '@callsmith/data/alerts';
import { PrismaService } from '@callsmith/data/database';
import { AUTO, judgedCalls, type ModelOnEngine, movesOf, storeChoice, storeDoubt } from '@callsmith/data/models';
import { newestProbe, type Probe, type ProbeArm } from '@callsmith/data/probes';
import { CONFIG_SNAPSHOT, type ConfigSnapshot, type ModelEntry } from '@callsmith/data/snapshot';
import { type Decision, decide, formName, isSameForm, type ProbeFound, type StrategyForm } from '@callsmith/evaluate';
import { Inject, Injectable } from '@nestjs/common';
import type { JobHandler } from '../job.ts';
import { JOB_RUNNER } from '../job-runner-token.ts';
import { chooseStrategies as job } from '../jobs/choose-strategies.ts';
import { beginProbe } from '../probe/begin-probe.ts';
import { PROBE_CLIENT, type ProbeClient } from '../probe/probe-client.ts';
import type { JobRunner } from '../runner.ts';

const HOUR_MS = 3_600_000;
const DAY_MINUTES = 1440;

/** The candidates, and the strategy in effect. */
interface Forms {
  readonly now: StrategyForm;
  readonly all: readonly ProbeArm[];
  /** Whether the model's tool prompt has example calls, which is not a separate form. */
  readonly examples: boolean;
}

@Injectable()
export class ChooseStrategiesHandler implements JobHandler<typeof job> {
  readonly job = job;

  constructor(
    private readonly prisma: PrismaService,
    @Inject(CONFIG_SNAPSHOT) private readonly snapshot: ConfigSnapshot,
    @Inject(PROBE_CLIENT) private readonly client: ProbeClient,
    @Inject(JOB_RUNNER) private readonly jobs: JobRunner,
  ) {}

  async run(): Promise<void> {
    for (const model of this.snapshot.models()) if (mayMove(model)) await this.choose(model);
  }

  private async choose(model: ModelEntry): Promise<void> {
    const [first] = model.routes;
    if (first === undefined) return;
    const { id: upstreamId, engineVersion = null } = first.upstream;
    const place: ModelOnEngine = { modelId: model.id, upstreamId, engineVersion };
    const calls = await judgedCalls(this.prisma, place);
    const probe = await newestProbe(this.prisma, place);
    if (calls.length === 0 && probe === undefined) return;
    const forms = this.formsOf(model, place);
    const { moves, changedAt } = await movesOf(this.prisma, model.id, new Date());
    const decision = decide({
      now: forms.now,
      calls: calls
        .filter((call) => isAmong(forms, call))
        .map((call) => ({ ...call, sinceMove: changedAt === undefined || call.at > changedAt })),
      probe: probe && foundBy(probe, forms, changedAt),
      budget: model.failureBudget.value / 100,
      usedUp: model.switchWhenUsedUp.value && (await this.isUsedUp(model)),
      declared: model.strategy.value !== AUTO,
      moves,
    });
    await this.follow(decision, place, { from: forms.now, changedAt });
  }

  private async isUsedUp({ id: modelId, failureBudget }: ModelEntry): Promise<boolean> {
    const days = { minutes: BUDGET_DAYS * DAY_MINUTES, now: new Date() };
    return isUsedUp(failureBudget.value / 100, await callsWithin(this.prisma, { modelId }, days));
  }

  /** Possible forms of a model: a declared dialect is not changed. */
  private formsOf({ dialect, exampleCalls }: ModelEntry, place: ModelOnEngine): Forms {
    const { arms, inEffect } = this.client.arms(place, 'quick');
    const own = arms.find(({ strategy }) => strategy === 'prompt');
    const all = arms.filter((arm) => dialect.source !== 'declared' || arm.strategy !== 'prompt' || arm === own);
    const now = arms[inEffect] ?? { strategy: 'native', dialect: null };
    return { now, all, examples: exampleCalls?.value ?? false };
  }

  private async follow(
    decision: Decision,
    place: ModelOnEngine,
    { from, changedAt }: { readonly from: StrategyForm; readonly changedAt: Date | undefined },
  ): Promise<void> {
    const { prisma, jobs, client } = this;
    const by = { actor: AUTO, reason: decision.why };
    switch (decision.does) {
      case 'stay':
        return;
      case 'move':
        return storeChoice(prisma, by, { ...place, from, to: decision.to, reason: decision.why, changedAt });
      case 'alert':
        return storeDoubt(prisma, { ...place, reason: decision.why });
      case 'probe': {
        // While another probe runs, it is requested again in a minute.
        const { size } = decision;
        await beginProbe({ prisma, jobs, client }, by, { ...place, cause: 'doubt', size });
      }
    }
  }
}

/**
 * A strategy that an admin set is only changed if the model is set to switch. Demo models, and models with an
 * experiment or declared tool support, are never changed.
 */
const mayMove = ({ strategy, switchWhenUsedUp, declaredTools, demo, experiment }: ModelEntry): boolean =>
  (strategy.value === AUTO || switchWhenUsedUp.value) &&
  declaredTools === undefined &&
  experiment === undefined &&
  !demo;

const isAmong = ({ all, now }: Forms, form: StrategyForm): boolean =>
  isSameForm(form, now) || all.some((one) => isSameForm(one, form));

function foundBy({ arms, rows, size, endedAt }: Probe, forms: Forms, changedAt: Date | undefined): ProbeFound {
  const ended = endedAt ?? new Date();
  return {
    arms: arms.flatMap((arm, at) =>
      isAmong(forms, arm) && (arm.examples ?? forms.examples) === forms.examples
        ? [{ ...arm, name: formName(arm), rows: rows.filter((row) => row.arm === at) }]
        : [],
    ),
    size,
    isNew: changedAt === undefined || ended > changedAt,
    hoursAgo: (Date.now() - ended.getTime()) / HOUR_MS,
  };
}
