import type { TrialRow, TrialState } from '@callsmith/contracts';
import { audit, type ChangedBy } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { Prisma, type Trial as StoredTrial } from '../generated/prisma/client.ts';
import { newId, shownTurnId } from '../ids.ts';
import { recordedDeep } from '../record/storable.ts';
import type { TrialTarget } from './trial-target.ts';

const { sql } = Prisma;

/** A model's stored requests, sent again with another strategy. */
export interface Trial extends TrialTarget {
  readonly id: string;
  readonly at: Date;
  readonly modelId: string;
  /** The team whose turns are tried; null: all teams. */
  readonly teamId: string | null;
  readonly state: TrialState;
  /** Why it failed. */
  readonly problem: string | null;
  /** Their turns are known by their UUIDs. */
  readonly rows: readonly TrialRow[];
  readonly endedAt: Date | null;
}

/** Maximum concurrent trials, so that other jobs do not have to wait. */
const MOST_AT_ONCE = 2;

const LOCK = 5275177;

/**
 * Starts a trial and records in the audit log whose requests it reads. If the same one waits or runs already, returns
 * that; `busy` if the model has another trial, or too many other models have one.
 */
export function startTrial(
  prisma: PrismaService,
  by: ChangedBy,
  planned: TrialTarget & { modelId: string; teamId: string | null; rows: readonly TrialRow[] },
): Promise<{ trial: Trial; begun: boolean } | { busy: 'model' | 'others' }> {
  return prisma.$transaction(async (tables) => {
    await tables.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`;
    await failStalledTrials(tables);
    const open = await tables.trial.findMany({ where: { state: { in: ['waiting', 'running'] } } });
    const ofModel = open.find(({ modelId }) => modelId === planned.modelId);
    if (ofModel) {
      const { strategy, dialect, teamId } = ofModel;
      const same = strategy === planned.strategy && dialect === planned.dialect && teamId === planned.teamId;
      return same ? { trial: trialOf(ofModel), begun: false } : { busy: 'model' as const };
    }
    if (open.length >= MOST_AT_ONCE) return { busy: 'others' as const };
    const { rows, ...rest } = planned;
    const stored = await tables.trial.create({
      data: { id: newId('trial'), actor: by.actor, ...rest, rows: rows as unknown as Prisma.InputJsonValue },
    });
    await audit(tables, by, {
      action: 'model.try',
      targetKind: 'model',
      targetId: planned.modelId,
      teamId: planned.teamId,
      after: {
        trial: stored.id,
        strategy: planned.strategy,
        dialect: planned.dialect,
        read: rows.flatMap(({ turn }) => (turn ? [shownTurnId(turn.id)] : [])),
      },
    });
    return { trial: trialOf(stored), begun: true };
  });
}

/** A trial; undefined: unknown id, or deleted. One whose process fell silent has failed. */
export async function findTrial(prisma: PrismaService, id: string): Promise<Trial | undefined> {
  await failStalledTrials(prisma);
  const row = await prisma.trial.findUnique({ where: { id } });
  return row ? trialOf(row) : undefined;
}

/** Takes a waiting trial to run it. Undefined: it was canceled, or another process took it. */
export async function claimTrial(prisma: PrismaService, id: string): Promise<Trial | undefined> {
  const taken = await prisma.$executeRaw`
    UPDATE trial SET state = 'running', beat_at = now() WHERE id = ${id} AND state = 'waiting'`;
  return taken === 0 ? undefined : findTrial(prisma, id);
}

/** Stores a trial's progress, which is also its heartbeat. False: it was ended elsewhere. */
export async function storeTrialRows(prisma: PrismaService, id: string, rows: readonly TrialRow[]): Promise<boolean> {
  const rowsJson = JSON.stringify(recordedDeep(rows));
  const kept = await prisma.$executeRaw`
    UPDATE trial SET rows = ${rowsJson}::jsonb, beat_at = now() WHERE id = ${id} AND state = 'running'`;
  return kept > 0;
}

/** Ends a running trial: as done, or with the reason of its failure. */
export async function endTrial(prisma: PrismaService, id: string, problem?: string): Promise<void> {
  await prisma.$executeRaw`
    UPDATE trial SET state = ${problem === undefined ? 'done' : 'failed'}, problem = ${problem ?? null}, ended_at = now()
    WHERE id = ${id} AND state IN ('waiting', 'running')`;
}

/** Cancels a running trial; its process notices within a second. Results so far stay. */
export async function cancelTrial(prisma: PrismaService, by: ChangedBy, trial: Trial): Promise<void> {
  await prisma.$transaction(async (tables) => {
    const cancelled = await tables.$executeRaw`
      UPDATE trial SET state = 'cancelled', ended_at = now() WHERE id = ${trial.id} AND state IN ('waiting', 'running')`;
    if (cancelled > 0)
      await audit(tables, by, {
        action: 'model.try.cancel',
        targetKind: 'model',
        targetId: trial.modelId,
        teamId: trial.teamId,
        after: { trial: trial.id },
      });
  });
}

/** Fails trials that no process took within five minutes, or whose process was silent for half a minute. */
export async function failStalledTrials(tables: Tables): Promise<void> {
  await tables.$executeRaw(sql`
    UPDATE trial SET state = 'failed', ended_at = now(), problem = CASE state
      WHEN 'waiting' THEN 'No gateway started it: background jobs are not running.'
      ELSE 'The gateway that ran it stopped in the middle.' END
    WHERE state = 'waiting' AND beat_at < now() - interval '5 minutes'
      OR state = 'running' AND beat_at < now() - interval '30 seconds'`);
}

const trialOf = ({ strategy, state, rows, beatAt: _, ...rest }: StoredTrial): Trial => ({
  ...rest,
  strategy: strategy as TrialTarget['strategy'],
  state: state as TrialState,
  rows: rows as unknown as readonly TrialRow[],
});
