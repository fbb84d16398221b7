import type { StrategyUsed } from '@callsmith/turn';
import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import { recordedUpTo } from '../record/storable.ts';
import { FAILED_CONDITION, isJudged } from './judged.ts';
import { inLastDay, newestConversations } from './newest-conversations.ts';
import { storeLesson } from './store-lesson.ts';

/** The lesson name for the choice of `auto`. */
export const CHOSEN_STRATEGY = 'strategy';
/** The lesson name for: it would switch, but has switched too often. */
export const STRATEGY_DOUBT = 'strategy-doubt';
/** The actor in the history if `auto` switched by itself. */
export const AUTO = 'auto';

const DAY_MS = 86_400_000;
/** How long a choice is valid, if the engine stays the same. */
const HOLDS_MS = 30 * DAY_MS;
/** Number of calls that are evaluated. */
const MOST_CALLS = 1_000;

/** A strategy, and the dialect if it writes calls as text. */
export interface ChosenForm {
  readonly strategy: StrategyUsed;
  /** Null: the model's own. */
  readonly dialect: string | null;
}

/** A model on one upstream with one version of its engine. */
export interface ModelOnEngine {
  readonly modelId: string;
  readonly upstreamId: string;
  readonly engineVersion: string | null;
}

/** The stored form, e.g. `prompt:hermes`. */
const written = ({ strategy, dialect }: ChosenForm): string => (dialect === null ? strategy : `${strategy}:${dialect}`);

/** Parses a stored choice. */
export function chosenForm(value: string): ChosenForm {
  const [strategy = '', dialect] = value.split(':', 2);
  return { strategy: strategy as StrategyUsed, dialect: dialect ?? null };
}

/** A request with calls, by the strategy that was tried first. */
export interface JudgedCall extends ChosenForm {
  readonly key: string;
  readonly client: string;
  readonly streamed: boolean;
  readonly manyTools: boolean;
  /** It failed, was invalid, or only another strategy answered it. */
  readonly bad: boolean;
  readonly at: Date;
}

/** The requests with calls of the last 24 hours, newest first, at most 1,000. */
export function judgedCalls(
  prisma: PrismaService,
  { modelId, upstreamId, engineVersion }: ModelOnEngine,
): Promise<JudgedCall[]> {
  return prisma.$queryRaw`
    SELECT coalesce(key_id, '') AS key, client, streamed, tools_offered > 10 AS "manyTools", at,
      coalesce(strategy_first, strategy_used) AS strategy,
      CASE WHEN coalesce(strategy_first, strategy_used) = 'prompt' THEN dialect END AS dialect,
      ${FAILED_CONDITION} AS bad
    FROM turn
    WHERE model_id = ${modelId} AND upstream_id = ${upstreamId} AND at > now() - interval '24 hours'
      AND engine_version IS NOT DISTINCT FROM ${engineVersion} AND strategy_used IS NOT NULL
      AND ${isJudged}
    ORDER BY at DESC LIMIT ${MOST_CALLS}`;
}

/** How often `auto` switched a model in the last 24 hours, and when its strategy was last changed by anyone. */
export async function movesOf(
  prisma: PrismaService,
  modelId: string,
  now: Date,
): Promise<{ readonly moves: number; readonly changedAt: Date | undefined }> {
  const [moves, last] = await Promise.all([
    prisma.strategyChange.count({ where: { modelId, actor: AUTO, at: { gt: new Date(now.getTime() - DAY_MS) } } }),
    prisma.strategyChange.findFirst({ where: { modelId }, orderBy: { at: 'desc' }, select: { at: true } }),
  ]);
  return { moves, changedAt: last?.at };
}

/** A switch by `auto`. */
export interface StrategyMove extends ModelOnEngine {
  readonly from: ChosenForm;
  readonly to: ChosenForm;
  /** One sentence with its evidence. */
  readonly reason: string;
  /** When its strategy was last changed, as known at the time of the decision. */
  readonly changedAt: Date | undefined;
}

/**
 * Stores a switch by `auto`, in the model's history as well; conversations of the last 24 hours keep their strategy.
 * Nothing is stored if the strategy was changed meanwhile.
 */
export function storeChoice(prisma: PrismaService, by: ChangedBy, move: StrategyMove): Promise<void> {
  const { modelId, upstreamId, engineVersion, from, to, changedAt } = move;
  const at = new Date();
  const reason = recordedUpTo(move.reason, 1000);
  return change(prisma, async (tables) => {
    await tables.$queryRaw`SELECT id FROM model WHERE id = ${modelId} FOR UPDATE`;
    const other = await tables.strategyChange.count({
      where: { modelId, ...(changedAt && { at: { gt: changedAt } }) },
    });
    if (other > 0) return;
    const value = written(to);
    const expiresAt = new Date(at.getTime() + HOLDS_MS);
    await storeLesson(tables, {
      modelId,
      upstreamId,
      what: CHOSEN_STRATEGY,
      value,
      engineVersion,
      reason,
      at,
      expiresAt,
    });
    await pinConversations(tables, modelId, from);
    await noteChange(tables, { ...by, reason }, { modelId, from, to });
    await audit(
      tables,
      { ...by, reason },
      {
        action: 'model.auto',
        targetKind: 'model',
        targetId: modelId,
        before: from,
        after: to,
      },
    );
  });
}

/** Stores for a day that `auto` would switch and does not, for alerts and for the model's page. */
export function storeDoubt(prisma: PrismaService, doubt: ModelOnEngine & { readonly reason: string }): Promise<void> {
  const { modelId, upstreamId, engineVersion } = doubt;
  const at = new Date();
  const reason = recordedUpTo(doubt.reason, 1000);
  const expiresAt = new Date(at.getTime() + DAY_MS);
  return change(prisma, async (tables) => {
    // Repeating it every minute would be a change for all gateways.
    if (await tables.learned.findFirst({ where: { modelId, upstreamId, what: STRATEGY_DOUBT, expiresAt: { gt: at } } }))
      return;
    await storeLesson(tables, {
      modelId,
      upstreamId,
      what: STRATEGY_DOUBT,
      value: 'true',
      engineVersion,
      reason,
      at,
      expiresAt,
    });
  });
}

/**
 * Undoes the choice of `auto`: all conversations use the setting again, and the evidence so far is not used again.
 * `set`: the model's setting.
 */
export async function dropChoice(
  tables: Tables,
  by: ChangedBy,
  { modelId, value }: { readonly modelId: string; readonly value: string },
  set: Noted,
): Promise<void> {
  await tables.strategyStay.deleteMany({ where: { modelId } });
  await noteChange(tables, by, { modelId, from: chosenForm(value), to: set });
}

/** Writes a change of the choice of `auto` into the model's history. */
async function noteChange(
  tables: Tables,
  { actor, reason }: ChangedBy,
  { modelId, from, to }: { readonly modelId: string; readonly from: Noted; readonly to: Noted },
): Promise<void> {
  await tables.strategyChange.create({
    data: {
      id: newId('chg'),
      modelId,
      fromStrategy: from.strategy,
      toStrategy: to.strategy,
      fromDialect: from.dialect,
      toDialect: to.dialect,
      actor,
      reason: reason ?? null,
    },
  });
}

interface Noted {
  readonly strategy: string;
  readonly dialect: string | null;
}

/** Conversations that already keep another form than `from` are left out: they have the new one, or change with it. */
async function pinConversations(tables: Tables, modelId: string, { strategy, dialect }: ChosenForm): Promise<void> {
  await tables.$executeRaw`
    INSERT INTO strategy_stay (model_id, strategy, dialect, conversations, until)
    SELECT ${modelId}, ${strategy}, ${dialect}, coalesce(array_agg(conversation), '{}'), now() + interval '24 hours'
    FROM (
      ${newestConversations(Prisma.sql`${inLastDay(modelId)}
        AND conversation <> ALL (coalesce(
          (SELECT conversations FROM strategy_stay WHERE model_id = ${modelId} AND until > now()), '{}'))`)}) AS recent
    ON CONFLICT (model_id) DO UPDATE SET strategy = excluded.strategy, dialect = excluded.dialect,
      conversations = excluded.conversations, until = excluded.until`;
}
