import type { ProbeCause, ProbeSize, ProbeState } from '@callsmith/contracts';
import { audit, type ChangedBy } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { Prisma, type Probe as StoredProbe } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import { recordedDeep } from '../record/storable.ts';
import type { ProbeArm, ProbeBudget, ProbeRow, ProbeSpent, SupportFound } from './probe-rows.ts';
import { oldestFirst } from './saved-cases.ts';

/** The results of a probe so far. */
export interface ProbeFindings {
  readonly rows: readonly ProbeRow[];
  /** Null: not checked yet. */
  readonly support: readonly SupportFound[] | null;
  readonly spent: ProbeSpent;
}

/** A probe and its progress. */
export interface ProbeHead {
  readonly id: string;
  readonly at: Date;
  readonly modelId: string;
  readonly upstreamId: string;
  readonly engineVersion: string | null;
  readonly cause: ProbeCause;
  readonly size: ProbeSize;
  readonly state: ProbeState;
  /** Why it failed or ended early. */
  readonly problem: string | null;
  readonly endedAt: Date | null;
}

/** A model on one upstream, probed with several strategies. */
export interface Probe extends ProbeHead, ProbeFindings {
  /** The seed of its questions. */
  readonly seed: string;
  /** Ids of the saved cases that it sends, in order. */
  readonly savedCaseIds: readonly string[];
  readonly arms: readonly ProbeArm[];
  /** Index of the arm that was in effect. */
  readonly inEffect: number;
  readonly budget: ProbeBudget;
}

/** Maximum concurrent probes, so that other jobs do not have to wait. */
const MOST_AT_ONCE = 2;
/** Number of a model's probes that are kept. */
const MOST_KEPT = 30;
/** A probe that this many processes could not finish is not taken up again. */
const MOST_TAKES = 5;

const LOCK = 5275178;

const silent = Prisma.sql`(state = 'running' AND beat_at < now() - interval '30 seconds')`;

/** Starts a probe and records it in the audit log; `busy` if the model has a running probe, or two others have. */
export function startProbe(
  prisma: PrismaService,
  by: ChangedBy,
  planned: Pick<Probe, 'modelId' | 'upstreamId' | 'engineVersion' | 'cause' | 'size' | 'arms' | 'inEffect' | 'budget'>,
): Promise<{ probe: Probe } | { busy: 'model' | 'others' }> {
  return prisma.$transaction(async (tables) => {
    await tables.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
    const open = await tables.probe.findMany({
      where: { state: { in: ['waiting', 'running'] } },
      select: { modelId: true },
    });
    if (open.some(({ modelId }) => modelId === planned.modelId)) return { busy: 'model' as const };
    if (open.length >= MOST_AT_ONCE) return { busy: 'others' as const };
    const { arms, budget, ...rest } = planned;
    const id = newId('probe');
    const ofModel = { where: { modelId: planned.modelId }, orderBy: [...oldestFirst], select: { id: true } };
    const saved = await tables.probeCase.findMany(ofModel);
    const stored = await tables.probe.create({
      data: {
        id,
        actor: by.actor,
        seed: id,
        savedCaseIds: saved.map((one) => one.id),
        ...rest,
        arms: arms as unknown as Prisma.InputJsonValue,
        budget: { ...budget },
        spent: { requests: 0, tokens: 0, ms: 0 },
      },
    });
    await dropOldest(tables, planned.modelId);
    await audit(tables, by, {
      action: 'model.probe',
      targetKind: 'model',
      targetId: planned.modelId,
      after: { probe: id, size: planned.size, cause: planned.cause, upstream: planned.upstreamId, budget },
    });
    return { probe: probeOf(stored) };
  });
}

async function dropOldest(tables: Tables, modelId: string): Promise<void> {
  await tables.$executeRaw`
    DELETE FROM probe WHERE id IN (
      SELECT id FROM probe WHERE model_id = ${modelId} ORDER BY at DESC, id DESC OFFSET ${MOST_KEPT})`;
}

/** A probe; undefined: unknown id, or deleted. */
export async function findProbe(prisma: PrismaService, id: string): Promise<Probe | undefined> {
  const row = await prisma.probe.findUnique({ where: { id } });
  return row ? probeOf(row) : undefined;
}

/** The newest finished probe of a model on this upstream with this version of its engine. */
export async function newestProbe(
  prisma: PrismaService,
  place: Pick<ProbeHead, 'modelId' | 'upstreamId' | 'engineVersion'>,
): Promise<Probe | undefined> {
  const { modelId, upstreamId, engineVersion } = place;
  const row = await prisma.probe.findFirst({
    where: { modelId, upstreamId, engineVersion, state: 'done' },
    orderBy: { endedAt: 'desc' },
  });
  return row ? probeOf(row) : undefined;
}

/** The probes of a model, newest first, without their results. */
export async function listProbes(prisma: PrismaService, modelId: string): Promise<ProbeHead[]> {
  const rows = await prisma.probe.findMany({
    where: { modelId },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    select: {
      id: true,
      at: true,
      modelId: true,
      upstreamId: true,
      engineVersion: true,
      cause: true,
      size: true,
      state: true,
      problem: true,
      endedAt: true,
    },
  });
  return rows.map((row) => ({ ...row, ...wordsOf(row) }));
}

/** Takes a probe that waits, or whose process fell silent. Undefined: it has ended, or another process has it. */
export async function claimProbe(prisma: PrismaService, id: string): Promise<Probe | undefined> {
  await prisma.$executeRaw`
    UPDATE probe SET state = 'failed', ended_at = now(), problem = 'It was interrupted too often.'
    WHERE id = ${id} AND takes >= ${MOST_TAKES} AND (state = 'waiting' OR ${silent})`;
  const taken = await prisma.$executeRaw`
    UPDATE probe SET state = 'running', beat_at = now(), takes = takes + 1
    WHERE id = ${id} AND (state = 'waiting' OR ${silent})`;
  return taken === 0 ? undefined : findProbe(prisma, id);
}

/** Stores a probe's progress, which is also its heartbeat. False: it was ended elsewhere. */
export async function storeProgress(prisma: PrismaService, id: string, kept: ProbeFindings): Promise<boolean> {
  const rows = JSON.stringify(recordedDeep(kept.rows));
  const support = kept.support === null ? null : JSON.stringify(recordedDeep(kept.support));
  const spent = JSON.stringify(kept.spent);
  const found = await prisma.$executeRaw`
    UPDATE probe SET rows = ${rows}::jsonb, support = ${support}::jsonb, spent = ${spent}::jsonb, beat_at = now()
    WHERE id = ${id} AND state = 'running'`;
  return found > 0;
}

/** Releases a running probe for the next process; its results stay. */
export async function releaseProbe(prisma: PrismaService, id: string): Promise<void> {
  await prisma.$executeRaw`UPDATE probe SET state = 'waiting', beat_at = now() WHERE id = ${id} AND state = 'running'`;
}

/** Ends a running probe: as done, with the reason if it ended early, or as failed. */
export async function endProbe(
  prisma: PrismaService,
  id: string,
  { state, problem = null }: { state: 'done' | 'failed'; problem?: string | null },
): Promise<void> {
  await prisma.$executeRaw`
    UPDATE probe SET state = ${state}, problem = ${problem}, ended_at = now()
    WHERE id = ${id} AND state IN ('waiting', 'running')`;
}

/** Cancels a running probe; its process notices within a second. Results so far stay. */
export async function cancelProbe(prisma: PrismaService, by: ChangedBy, { id, modelId }: Probe): Promise<void> {
  await prisma.$transaction(async (tables) => {
    const cancelled = await tables.$executeRaw`
      UPDATE probe SET state = 'cancelled', ended_at = now() WHERE id = ${id} AND state IN ('waiting', 'running')`;
    if (cancelled > 0)
      await audit(tables, by, {
        action: 'model.probe.cancel',
        targetKind: 'model',
        targetId: modelId,
        after: { probe: id },
      });
  });
}

/** Probes that wait for a process: released by one that stopped, or by one that fell silent. */
export async function openProbes(prisma: PrismaService): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM probe WHERE (state = 'waiting' AND beat_at < now() - interval '10 seconds') OR ${silent}`;
  return rows.map(({ id }) => id);
}

/** The newest probe of each model on each upstream. */
export function latestProbes(
  prisma: PrismaService,
): Promise<{ modelId: string; upstreamId: string; engineVersion: string | null; at: Date }[]> {
  return prisma.$queryRaw`
    SELECT DISTINCT ON (model_id, upstream_id) model_id AS "modelId", upstream_id AS "upstreamId",
      engine_version AS "engineVersion", at
    FROM probe ORDER BY model_id, upstream_id, at DESC`;
}

const wordsOf = ({ cause, size, state }: Pick<StoredProbe, 'cause' | 'size' | 'state'>) => ({
  cause: cause as ProbeCause,
  size: size as ProbeSize,
  state: state as ProbeState,
});

const probeOf = (row: StoredProbe): Probe => {
  const { actor: _, takes: __, beatAt: ___, ...rest } = row;
  return {
    ...rest,
    ...wordsOf(row),
    arms: row.arms as unknown as readonly ProbeArm[],
    budget: row.budget as unknown as ProbeBudget,
    spent: row.spent as unknown as ProbeSpent,
    rows: row.rows as unknown as readonly ProbeRow[],
    support: row.support as unknown as readonly SupportFound[] | null,
  };
};
