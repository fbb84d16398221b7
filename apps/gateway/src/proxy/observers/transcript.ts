import { settingNamed, settingNames } from '@callsmith/contracts';
import { spendOf } from '@callsmith/data/limits';
import type {
  Recorder,
  RoundRecord,
  TimelineEntry,
  TryRecord,
  TurnBodyRecord,
  TurnRecord,
} from '@callsmith/data/record';
import { hasToolHistory } from '@callsmith/turn';
import { decodeUtf8 } from '../../decode-utf8.ts';
import type { AgentRound, Try } from '../record/attempt-log.ts';
import { conversationKey } from '../record/conversation-key.ts';
import type { RequestInfo } from '../record/request-info.ts';
import { endOf, overheadMs, type RequestRecord } from '../record/request-record.ts';
import { withDiscarded } from '../record/response-summary.ts';
import { withoutUser } from '../record/without-user.ts';
import type { ObserverFactory } from './observer.ts';
import { callRecords, classesOf, outcomeOf } from './outcome.ts';

/** Passes every request to the recorder, refused and failed ones included; with bodies if they should be stored. */
export const transcribe =
  (recorder: Recorder): ObserverFactory =>
  (record) => ({ done: () => recorder.add(recordOf(record, recorder)) });

/** Bodies are stored only of turns with tools, and only of teams that allow it. */
export const keepsBodies = ({ key, turn }: Pick<RequestInfo, 'key' | 'turn'>): boolean =>
  key?.storesBodies === true && turn !== undefined && (turn.tools.size > 0 || hasToolHistory(turn));

function recordOf(record: RequestRecord, recorder: Recorder): TurnRecord {
  const { request, attempts, response } = record;
  const { notes } = response;
  const calls = callRecords(response);
  const failed = response.fault !== undefined;
  const outcome = outcomeOf(calls, notes, request.turn?.tools.size ?? 0, failed);
  const raw = keepsBodies(request) ? attempts.raw : undefined;
  const stored = raw && recorder.stores({ outcome, failed, storesBodies: true }) ? raw : undefined;
  const outcomeColumns = {
    outcome,
    classes: classesOf(notes),
    corrected: response.corrected,
    agentRounds: attempts.rounds?.length ?? null,
    agentLimit: attempts.agentLimit ?? null,
    attempts: attempts.count,
    status: response.status,
    calls,
    body: stored ? bodyOf(record, stored.raw()) : null,
  };
  // Not spread into a literal: beyond some twenty members V8 makes that a hash table, which costs forty times as much.
  return Object.assign(
    Object.assign(requestColumns(request), routeColumns(record), tokenColumns(record), timeColumns(record)),
    errorColumns(response),
    outcomeColumns,
  );
}

/** The request and its client. */
const requestColumns = (request: RequestRecord['request']) => ({
  id: request.id,
  requestId: request.requestId,
  route: request.path,
  teamId: request.key?.teamId ?? null,
  keyId: request.key?.id ?? null,
  client: request.client,
  conversation: conversationOf(request),
  streamed: request.streamed,
  toolsOffered: request.turn?.tools.size ?? 0,
});

const conversationOf = ({ key, turn, conversation }: RequestRecord['request']): string | null =>
  turn && key ? conversationKey(key.id, turn, conversation) : null;

/** The model that answers: the requested one, or its fallback. */
const answeringModel = ({ request, attempts }: RequestRecord) => attempts.model ?? request.model;

/** The model, its route and its strategy. */
function routeColumns(record: RequestRecord) {
  const { model, requestedModel } = record.request;
  const { route, strategyUsed, strategyFirst, dialect } = record.attempts;
  const answering = answeringModel(record);
  return {
    modelId: answering?.id ?? null,
    model: (model?.name ?? requestedModel).slice(0, 200),
    fallbackModel: answering?.id === model?.id ? null : (answering?.name ?? null),
    upstreamId: route?.upstream.id ?? null,
    engineVersion: route?.upstream.engineVersion ?? null,
    strategy: answering?.chosen?.from ?? answering?.strategy.value ?? null,
    strategyUsed: strategyUsed ?? null,
    strategyFirst: strategyFirst ?? null,
    dialect: dialect ?? null,
  };
}

/** The tokens of the request and their price. */
function tokenColumns(record: RequestRecord) {
  const { attempts, response } = record;
  const { usage, discarded } = response;
  const tokens = tokensOf(response);
  return {
    injectedTokens: attempts.toolPromptTokens ?? null,
    inputTokens: tokens?.inputTokens ?? null,
    outputTokens: tokens?.outputTokens ?? null,
    cachedTokens: tokens?.cachedTokens ?? null,
    spend: (tokens && spendOf(answeringModel(record)?.price?.value, tokens)) ?? null,
    tokenSource: usage?.source ?? null,
    correctionTokens: attempts.tries.length > 0 ? discarded.inputTokens + discarded.outputTokens : null,
  };
}

/** The times of the request. */
function timeColumns(record: RequestRecord) {
  const { arrivedAt, startedAt } = record.request;
  const { firstTokenAt } = record.response;
  const overhead = overheadMs(record);
  return {
    addedUs: overhead === undefined ? null : Math.round(overhead * 1000),
    firstTokenMs: firstTokenAt === undefined ? null : Math.round(firstTokenAt - arrivedAt),
    totalMs: Math.round(endOf(record.response) - startedAt),
  };
}

/** The error of the request. */
const errorColumns = ({ clientClosed, fault }: RequestRecord['response']) =>
  clientClosed
    ? ({
        errorOrigin: 'client',
        errorCode: 'client_disconnected',
        errorMessage: 'The client disconnected before the response was complete.',
      } as const)
    : {
        errorOrigin: fault?.origin ?? null,
        errorCode: fault?.code ?? null,
        errorMessage: fault?.message.slice(0, 2000) ?? null,
      };

/** The request and the response. */
function bodyOf(record: RequestRecord, raw: TurnBodyRecord['raw']): TurnBodyRecord {
  const { request, attempts, response } = record;
  return {
    clientRequest: request.body ? withoutUser(decodeUtf8(request.body).replace(/^\uFEFF/, ''), request.user) : null,
    upstreamRequest: attempts.body ?? null,
    raw,
    ...(attempts.tries.length > 0 && { tries: attempts.tries.map(tryOf) }),
    ...(attempts.rounds && { rounds: attempts.rounds.map(roundOf) }),
    ...(attempts.requests.length > 0 && { timeline: timelineOf(record) }),
    delivered: response.answer.whole().choices.map(({ notes: _, runs: __, ...choice }) => choice),
    notes: response.notes,
    settings: settingsOf(record),
  };
}

/** D-44: the record has the tokens of all attempts. */
function tokensOf({ usage, discarded }: RequestRecord['response']): Parameters<typeof withDiscarded>[0] | undefined {
  const none = { inputTokens: 0, outputTokens: 0 };
  return usage || discarded.inputTokens > 0 ? withDiscarded(usage ?? none, discarded) : undefined;
}

/** The delivered attempt's request and response are in the body itself. */
const tryOf = ({ delivered, classes, messages, body, raw }: Try): TryRecord => ({
  delivered,
  classes,
  messages,
  upstreamRequest: delivered ? null : (body ?? null),
  raw: delivered ? [] : (raw?.raw() ?? []),
});

const roundOf = ({ usage, runs, ...round }: AgentRound): RoundRecord => ({
  ...round,
  inputTokens: usage?.inputTokens ?? null,
  outputTokens: usage?.outputTokens ?? null,
  runs: runs.map(({ startedAt: _, ...run }) => ({ ...run, server: run.server ?? null })),
});

/** Maximum entries of a timeline. */
const mostEntries = 200;

function timelineOf({ request: { startedAt }, attempts, response }: RequestRecord): TimelineEntry[] {
  const since = (at: number): number => Math.max(0, Math.round(at - startedAt));
  const attemptEntries = attempts.requests.map((sent) => ({
    at: sent.sentAt,
    kind: sent.purpose,
    server: sent.route.upstream.name,
    name: sent.route.upstreamModel,
    firstByteMs: sent.firstByteAt === undefined ? null : since(sent.firstByteAt),
    endMs: since(sent.endedAt ?? endOf(response)),
    problem: sent.failure ?? (sent.unusable ? 'unusable' : null),
  }));
  const ran = (attempts.rounds ?? [])
    .flatMap(({ runs }) => runs)
    .map((run) => ({
      at: run.startedAt,
      kind: 'tool' as const,
      server: run.server ?? null,
      name: run.tool,
      firstByteMs: null,
      endMs: since(run.startedAt + run.tookMs),
      problem: run.failed ? 'tool_error' : null,
    }));
  return [...attemptEntries, ...ran]
    .sort((one, other) => one.at - other.at)
    .slice(0, mostEntries)
    .map(({ at, ...entry }) => ({ startMs: since(at), ...entry }));
}

const sourcedNames = settingNames.filter((name) => !settingNamed(name).bare);

function settingsOf({ request, attempts }: RequestRecord): unknown {
  const { strategyUsed, route, model = request.model } = attempts;
  if (model === undefined) return {};
  const { strategy, dialect, holdBytes } = model;
  return {
    strategy,
    strategyUsed,
    dialect,
    ...(route?.marksCalls && { marksCalls: { value: true, source: 'learned' } }),
    holdBytes,
    ...Object.fromEntries(sourcedNames.flatMap((name) => (model[name] ? [[name, model[name]]] : []))),
  };
}
