import { type AlertScope, type AlertTriggers, judged, malformed, unusable } from '@callsmith/contracts';
import { listBudgets } from '../budgets.ts';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { budgetsIn } from '../limits/key-budgets.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import { modelNames } from '../models/models.ts';
import { settingsInEffect } from '../models/stored-settings.ts';
import { CHOSEN_STRATEGY, STRATEGY_DOUBT } from '../models/strategy-choice.ts';
import { percentile } from '../rollup/histogram.ts';
import { totalsOf, usageBy } from '../stats/outcomes.ts';
import type { Alert } from './alert.ts';
import { BUDGET_DAYS, type BudgetBurn, burnOf, type CallCounts } from './failure-budget.ts';

const { sql } = Prisma;
const MINUTE_MS = 60_000;
/** How long a loss is reported. */
const LOSS_MS = 15 * MINUTE_MS;
const DAY_MINUTES = 1440;

/** The inputs of an evaluation. */
interface Look {
  readonly triggers: AlertTriggers;
  readonly scope: AlertScope;
  /** Ids of the models that used up their failure budget too fast in the previous evaluation. */
  readonly burning: ReadonlySet<string>;
  /** ISO 4217, of prices. */
  readonly currency: string;
  readonly now: Date;
}

/** The scope of a condition. */
interface Place {
  readonly prisma: PrismaService;
  readonly scope: AlertScope;
  readonly now: Date;
}

/** All current problems among the given triggers. */
export async function activeAlerts(
  prisma: PrismaService,
  limits: LimitStore,
  { triggers, scope, burning, currency, now }: Look,
): Promise<Alert[]> {
  const { failedRate, malformedRate, failureBudget, errorRate, slowFirstToken, noRequests } = triggers;
  const { upstreamDown, recordLost, budgetSpent, spend } = triggers;
  const place = { prisma, scope, now };
  const found = await Promise.all([
    failedRate ? failing(place, failedRate) : [],
    malformedRate ? misshaping(place, malformedRate) : [],
    failureBudget ? overBudget(place, burning) : [],
    errorRate ? erring(place, errorRate) : [],
    slowFirstToken ? slow(place, slowFirstToken) : [],
    noRequests ? idle(place, noRequests) : [],
    upstreamDown ? silent(place, upstreamDown) : [],
    recordLost ? losing(prisma, now) : [],
    budgetSpent ? spending(place, limits, budgetSpent) : [],
    spend ? overspent(place, spend, currency) : [],
  ]);
  return found.flat();
}

async function failing(
  place: Place,
  { share, minutes, calls }: NonNullable<AlertTriggers['failedRate']>,
): Promise<Alert[]> {
  const counts = await callsByModel(place, minutes);
  const over = [...counts].flatMap(([id, { calls: n, failed }]) =>
    n >= calls && failed / n >= share ? [{ id, n, failed }] : [],
  );
  return ofModels(place.prisma, 'failed-rate', over, (name, { n, failed }) => {
    return `${percent(failed / n)} of ${n} requests with tool calls of ${name} failed or were invalid in the last ${minutes} min.`;
  });
}

async function misshaping(
  place: Place,
  { share, minutes, calls }: NonNullable<AlertTriggers['malformedRate']>,
): Promise<Alert[]> {
  const over = (await sumsByModel(place, minutes)).flatMap(({ id, ...counts }) => {
    const [n, bad] = [judged(counts), malformed(counts)];
    return n >= calls && bad / n >= share ? [{ id, n, bad }] : [];
  });
  return ofModels(place.prisma, 'malformed-rate', over, (name, { n, bad }) => {
    return `${percent(bad / n)} of ${n} requests with tool calls of ${name} had malformed calls in the last ${minutes} min.`;
  });
}

async function overspent(
  { prisma, scope, now }: Place,
  { amount, hours }: NonNullable<AlertTriggers['spend']>,
  currency: string,
): Promise<Alert[]> {
  const from = new Date(now.getTime() - hours * 60 * MINUTE_MS);
  const { spend } = await totalsOf(prisma, { from, to: new Date(now.getTime() + 1_000), among: scope });
  const spent = spend / 1_000_000;
  if (spent < amount) return [];
  const say = `${spent.toFixed(2)} ${currency} were spent in the last ${hours} h; the limit of the alert is ${amount.toFixed(2)} ${currency}.`;
  return [{ trigger: 'spend', aboutId: 'spend', aboutName: 'spend', say }];
}

async function erring(
  place: Place,
  { share, minutes, requests }: NonNullable<AlertTriggers['errorRate']>,
): Promise<Alert[]> {
  const sums = (await sumsByModel(place, minutes)).filter(
    ({ turns, errors }) => turns >= requests && errors / turns >= share,
  );
  return ofModels(place.prisma, 'error-rate', sums, (name, { turns, errors }) => {
    return `${percent(errors / turns)} of ${turns} requests to ${name} ended in an error in the last ${minutes} min.`;
  });
}

async function slow(
  place: Place,
  { seconds, minutes, requests }: NonNullable<AlertTriggers['slowFirstToken']>,
): Promise<Alert[]> {
  const sums = (await sumsByModel(place, minutes)).flatMap((sum) => {
    const p95 = (percentile(sum.firstToken, 0.95, 'firstToken') ?? 0) / 1000;
    return sum.turns >= requests && p95 > seconds ? [{ ...sum, p95 }] : [];
  });
  return ofModels(place.prisma, 'slow-first-token', sums, (name, { turns, p95 }) => {
    return `One of twenty requests to ${name} waited ${p95.toFixed(1)} s or longer for its first token in the last ${minutes} min (${turns} requests).`;
  });
}

/** No requests, although there were some in the same time before. */
async function idle(
  { prisma, scope, now }: Place,
  { minutes }: NonNullable<AlertTriggers['noRequests']>,
): Promise<Alert[]> {
  const span = minutes * MINUTE_MS;
  const since = new Date(now.getTime() - span);
  const { turns } = await totalsOf(prisma, { from: since, to: new Date(now.getTime() + 1_000), among: scope });
  if (turns > 0) return [];
  const { models, teams, clients } = scope;
  const last = await prisma.turn.findFirst({
    where: {
      ...(models.length > 0 && { modelId: { in: models } }),
      ...(teams.length > 0 && { teamId: { in: teams } }),
      ...(clients.length > 0 && { client: { in: clients } }),
    },
    orderBy: { at: 'desc' },
    select: { at: true },
  });
  // After a night it is no longer new.
  if (last === null || last.at.getTime() < now.getTime() - Math.max(DAY_MINUTES * MINUTE_MS, 2 * span)) return [];
  const say = `No request has arrived since ${last.at.toISOString()}.`;
  return [{ trigger: 'no-requests', aboutId: 'requests', aboutName: 'requests', say }];
}

/** An alert for each of some models. */
async function ofModels<Sum extends { readonly id: string }>(
  prisma: PrismaService,
  trigger: Alert['trigger'],
  sums: readonly Sum[],
  messageOf: (name: string, sum: Sum) => string,
): Promise<Alert[]> {
  const names = await modelNames(
    prisma,
    sums.map(({ id }) => id),
  );
  return sums.map((sum) => {
    const aboutName = names.get(sum.id)?.name ?? sum.id;
    return { trigger, aboutId: sum.id, aboutName, say: messageOf(aboutName, sum) };
  });
}

async function overBudget(place: Place, burning: ReadonlySet<string>): Promise<Alert[]> {
  const { prisma, now } = place;
  const read = new Map<number, ReturnType<typeof callsByModel>>();
  const countsOver = (minutes: number) => {
    const counts = read.get(minutes) ?? callsByModel(place, minutes);
    read.set(minutes, counts);
    return counts;
  };
  const dayCounts = await countsOver(DAY_MINUTES);
  const [stuck, switched] = await Promise.all([
    reasonsOf(prisma, STRATEGY_DOUBT, now),
    reasonsOf(prisma, CHOSEN_STRATEGY, now),
  ]);
  const models = await prisma.model.findMany({ where: { id: { in: [...dayCounts.keys()] } } });
  const alerts: Alert[] = [];
  for (const model of models) {
    const { failureBudget, switchWhenUsedUp } = settingsInEffect(model, []);
    const percentage = failureBudget.value;
    const countsOf = async (minutes: number) => (await countsOver(minutes)).get(model.id) ?? { calls: 0, failed: 0 };
    const burn = await burnOf(percentage / 100, burning.has(model.id), countsOf);
    const move = switchWhenUsedUp.value ? switched.get(model.id) : undefined;
    const also = move === undefined ? stuck.get(model.id) : `It was moved to another strategy. ${move}`;
    if (burn === undefined && also === undefined) continue;
    const whole = await countsOf(BUDGET_DAYS * DAY_MINUTES);
    const burnMessage = burn && burnText(model.name, { burn, percentage, whole });
    const say =
      burnMessage === undefined
        ? `${model.name}: ${also}`
        : [burnMessage, ...(move === undefined ? [] : [also])].join(' ');
    alerts.push({ trigger: 'failure-budget', aboutId: model.id, aboutName: model.name, say });
  }
  return alerts;
}

function burnText(
  model: string,
  { burn, percentage, whole }: { readonly burn: BudgetBurn; readonly percentage: number; readonly whole: CallCounts },
): string {
  const { calls, failed, minutes, times } = burn;
  const span = minutes === 60 ? 'hour' : `${minutes / 60} hours`;
  return (
    `${percent(failed / calls)} of ${calls} requests with tool calls of ${model} failed or were invalid in the last ` +
    `${span}: ${times.toFixed(1)} times its failure budget of ${percentage} %. ` +
    `Over ${BUDGET_DAYS} days it is ${((whole.failed / whole.calls) * 100).toFixed(1)} %.`
  );
}

/** Why `auto` switched a model in the last day, or would but has switched too often; by the model's id. */
async function reasonsOf(
  prisma: PrismaService,
  what: typeof CHOSEN_STRATEGY | typeof STRATEGY_DOUBT,
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const since = new Date(now.getTime() - DAY_MINUTES * MINUTE_MS);
  const rows = await prisma.learned.findMany({ where: { what, at: { gt: since }, expiresAt: { gt: now } } });
  return new Map(rows.map(({ modelId, reason }) => [modelId, reason]));
}

/** Requests with calls in the last minutes, by the id of their model. */
async function callsByModel(place: Place, minutes: number): Promise<ReadonlyMap<string, CallCounts>> {
  const sums = await sumsByModel(place, minutes);
  return new Map(sums.map(({ id, ...counts }) => [id, { calls: judged(counts), failed: unusable(counts) }] as const));
}

/** The sums of the last minutes, by the id of their model; requests for unknown models are left out. */
async function sumsByModel({ prisma, scope, now }: Place, minutes: number) {
  const from = new Date(now.getTime() - minutes * MINUTE_MS);
  // Up to a moment from now: a turn that ends right now counts.
  const sums = await usageBy(prisma, { from, to: new Date(now.getTime() + 1_000), among: scope }, 'model');
  return sums.filter(({ id }) => id !== '');
}

/**
 * Upstreams have no team and no client: only a scope's models apply to them, to those that the models are routed to.
 */
async function silent(
  { prisma, scope, now }: Place,
  { minutes }: NonNullable<AlertTriggers['upstreamDown']>,
): Promise<Alert[]> {
  const routed =
    scope.models.length === 0
      ? sql`TRUE`
      : sql`upstream.id IN (SELECT upstream_id FROM model_upstream WHERE model_id = ANY(${scope.models}))`;
  const rows = await prisma.$queryRaw<{ id: string; name: string; since: Date }[]>`
    SELECT upstream.id, upstream.name, min(look.at) AS since
    FROM upstream JOIN upstream_health AS look ON look.upstream_id = upstream.id AND look.at > coalesce(
      (SELECT max(at) FROM upstream_health AS good WHERE good.upstream_id = upstream.id AND good.ok), '-infinity')
    WHERE upstream.removed_at IS NULL AND upstream.enabled AND upstream.origin <> 'demo' AND ${routed}
    GROUP BY 1, 2 HAVING min(look.at) <= ${new Date(now.getTime() - minutes * MINUTE_MS)}`;
  return rows.map(({ id, name, since }) => ({
    trigger: 'upstream-down',
    aboutId: id,
    aboutName: name,
    say: `Upstream ${name} has not responded since ${since.toISOString()}.`,
  }));
}

async function losing(prisma: PrismaService, now: Date): Promise<Alert[]> {
  const { _sum } = await prisma.recordLoss.aggregate({
    where: { at: { gte: new Date(now.getTime() - LOSS_MS) } },
    _sum: { turns: true },
  });
  if (!_sum.turns) return [];
  const say = `${_sum.turns} requests could not be recorded in the last 15 min.`;
  return [{ trigger: 'record-lost', aboutId: 'record', aboutName: 'record', say }];
}

/** Budgets have no model and no client: only a scope's teams apply to them. */
async function spending(
  { prisma, scope, now }: Place,
  limits: LimitStore,
  { share }: NonNullable<AlertTriggers['budgetSpent']>,
): Promise<Alert[]> {
  const inScope = (teamId: string) => scope.teams.length === 0 || scope.teams.includes(teamId);
  const [keys, shared] = await Promise.all([
    prisma.apiKey.findMany({
      where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
      select: {
        ...{ id: true, teamId: true, holder: true, hint: true },
        ...{ tokenBudget: true, spendBudget: true, budgetPeriod: true },
      },
    }),
    listBudgets(prisma, undefined),
  ]);
  const budgets = [
    ...keys
      .filter(({ teamId }) => inScope(teamId))
      .map((row) => {
        const name = `${row.holder} (${row.hint})`;
        return { id: row.id, name, owner: `key of ${name}`, budgets: budgetsIn('key', row) };
      }),
    ...shared
      .filter(({ teamId }) => inScope(teamId))
      .map((row) => {
        const team = `team ${row.team.name}`;
        const [name, owner] =
          row.holder === '' ? [row.team.name, team] : [row.holder, `owner ${row.holder} of ${team}`];
        return { id: row.id, name, owner, budgets: budgetsIn(row.holder === '' ? 'team' : 'owner', row) };
      }),
  ];
  const alerts: Alert[] = [];
  for (const { id, name, owner, budgets: own } of budgets) {
    const shares = await Promise.all(
      own.map(async ({ counter, period, limit }) => (await limits.read(counter, period)) / limit),
    );
    const used = Math.max(...shares);
    const budget = own[shares.indexOf(used)];
    if (budget === undefined || !(used >= share)) continue;
    const amount = budget.unit === 'tokens' ? `${budget.limit} tokens` : 'budget in money';
    alerts.push({
      trigger: 'budget-spent',
      aboutId: id,
      aboutName: name,
      say: `The ${owner} has used ${percent(Math.min(1, used))} of its ${amount} for this ${budget.period}.`,
    });
  }
  return alerts;
}

const percent = (part: number): string => `${Math.floor(part * 100)} %`;
