import type { StrategyUsed } from '@callsmith/turn';
import { audit, type ChangedBy, change } from './database/change.ts';
import type { PrismaService, Tables } from './database/prisma.ts';
import { Prisma, type Experiment as StoredExperiment } from './generated/prisma/client.ts';
import { newId } from './ids.ts';
import { FAILED_CONDITION, isJudged } from './models/judged.ts';
import { inLastDay, newestConversations } from './models/newest-conversations.ts';

/** `done`: it has ended and no one has decided. */
export type ExperimentState = 'running' | 'done' | 'kept' | 'undone';

/** A model's setting outside the experiment. */
export interface DeclaredStrategy {
  readonly strategy: string;
  readonly dialect: string | null;
}

/** A strategy that gets a share of a model's new conversations for a limited time. */
export interface Experiment {
  readonly id: string;
  readonly at: Date;
  readonly modelId: string;
  readonly actor: string;
  readonly strategy: StrategyUsed;
  readonly dialect: string | null;
  /** Percent. */
  readonly share: number;
  readonly until: Date;
  readonly state: ExperimentState;
  readonly endedAt: Date | null;
  readonly before: DeclaredStrategy;
  /** The evaluation at its end; null: it is running. */
  readonly result: unknown;
}

/** Requests with calls, and how many of them failed. */
export interface ExperimentArm {
  readonly n: number;
  readonly k: number;
}

/**
 * Starts an experiment (audited); undefined: this model has a running one. Conversations of the last 24 hours do not
 * take part.
 */
export async function startExperiment(
  prisma: PrismaService,
  by: ChangedBy,
  {
    hours,
    before,
    ...settings
  }: Pick<Experiment, 'modelId' | 'strategy' | 'dialect' | 'share' | 'before'> & { readonly hours: number },
): Promise<Experiment | undefined> {
  const { modelId } = settings;
  return change(prisma, async (tables) => {
    await tables.$queryRaw`SELECT id FROM model WHERE id = ${modelId} FOR UPDATE`;
    if (await tables.experiment.findFirst({ where: { modelId, state: 'running' } })) return undefined;
    const recent = await tables.$queryRaw<{ conversation: string }[]>(newestConversations(inLastDay(modelId)));
    const row = await tables.experiment.create({
      data: {
        id: newId('exper'),
        actor: by.actor,
        ...settings,
        before: { ...before },
        until: new Date(Date.now() + hours * 3_600_000),
        conversations: recent.map(({ conversation }) => conversation),
      },
    });
    await audit(tables, by, {
      action: 'model.experiment',
      targetKind: 'model',
      targetId: modelId,
      after: { experiment: row.id, ...settings, hours },
    });
    return experimentOf(row);
  });
}

/** The experiments of a model, newest first, at most 20. */
export async function listExperiments(prisma: PrismaService, modelId: string): Promise<Experiment[]> {
  const rows = await prisma.experiment.findMany({ where: { modelId }, orderBy: { at: 'desc' }, take: 20 });
  return rows.map(experimentOf);
}

/** Undefined: unknown id. */
export async function findExperiment(prisma: PrismaService, id: string): Promise<Experiment | undefined> {
  const row = await prisma.experiment.findUnique({ where: { id } });
  return row ? experimentOf(row) : undefined;
}

/** Those whose time has passed. */
export async function dueExperiments(prisma: PrismaService): Promise<Experiment[]> {
  const rows = await prisma.experiment.findMany({ where: { state: 'running', until: { lte: new Date() } } });
  return rows.map(experimentOf);
}

/** A conversation's position from 0 to 100, and whether it takes part; the request path draws it in the same way. */
const isTried = (share: number) =>
  Prisma.sql`(('x' || right(conversation, 12))::bit(48)::bigint / 281474976710656.0 * 100 < ${share})`;

/** Conversations of an experiment: those that began after its start. */
const partOf = ({ id, modelId, at, until }: Experiment) => Prisma.sql`
  model_id = ${modelId} AND at > ${at} AND at < ${until} AND conversation IS NOT NULL
  AND conversation <> ALL (SELECT unnest(conversations) FROM experiment WHERE id = ${id} AND state = 'running')`;

/** How many requests with calls failed, were invalid or were answered by another strategy only, on either side. */
export async function experimentArms(
  prisma: PrismaService,
  experiment: Experiment,
): Promise<{ tried: ExperimentArm; others: ExperimentArm }> {
  const rows = await prisma.$queryRaw<{ tried: boolean; n: number; k: number }[]>`
    SELECT ${isTried(experiment.share)} AS tried, count(*)::int AS n,
      (count(*) FILTER (WHERE ${FAILED_CONDITION}))::int AS k
    FROM turn
    WHERE ${partOf(experiment)} AND ${isJudged}
    GROUP BY 1`;
  const side = (tried: boolean): ExperimentArm => rows.find((row) => row.tried === tried) ?? { n: 0, k: 0 };
  return { tried: side(true), others: side(false) };
}

/** Ends an experiment whose time has passed. Conversations that took part keep its strategy for a day. */
export function endExperiment(prisma: PrismaService, experiment: Experiment, result: object): Promise<void> {
  return change(prisma, async (tables) => {
    const { id, share } = experiment;
    const rows = await tables.$queryRaw<{ conversation: string }[]>(
      newestConversations(Prisma.sql`${partOf(experiment)} AND ${isTried(share)}`),
    );
    await tables.experiment.updateMany({
      where: { id, state: 'running' },
      data: {
        state: 'done',
        endedAt: new Date(),
        result: plain(result),
        conversations: rows.map(({ conversation }) => conversation),
      },
    });
  });
}

/** Stores the decision about an experiment (audited). `result`: its evaluation, if it was still running. */
export function decideExperiment(
  prisma: PrismaService,
  by: ChangedBy,
  { id, modelId, result, state }: Pick<Experiment, 'id' | 'modelId' | 'result'> & { readonly state: 'kept' | 'undone' },
): Promise<void> {
  return change(prisma, async (tables: Tables) => {
    await tables.experiment.update({
      where: { id },
      data: { state, endedAt: new Date(), result: plain(result as object), conversations: [] },
    });
    await audit(tables, by, {
      action: state === 'kept' ? 'model.experiment.keep' : 'model.experiment.undo',
      targetKind: 'model',
      targetId: modelId,
      after: { experiment: id },
    });
  });
}

const plain = (value: object): Prisma.InputJsonValue => JSON.parse(JSON.stringify(value)) as Prisma.InputJsonValue;

const experimentOf = ({ conversations: _, ...row }: StoredExperiment): Experiment => ({
  ...row,
  strategy: row.strategy as StrategyUsed,
  state: row.state as ExperimentState,
  before: row.before as unknown as DeclaredStrategy,
});
