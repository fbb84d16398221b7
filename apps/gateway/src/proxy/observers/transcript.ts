import { settingNamed, settingNames } from '@callsmith/contracts';
import { spendOf } from '@callsmith/data/limits';
import type { Recorder, RoundRecord, TryRecord, TurnRecord } from '@callsmith/data/record';
import { hasToolHistory } from '@callsmith/turn';
import type { AgentRound, Try } from '../record/attempt-log.ts';
import { conversationKey } from '../record/conversation-key.ts';
import type { RequestInfo } from '../record/request-info.ts';
import { endOf, overheadMs, type RequestRecord } from '../record/request-record.ts';
import { withDiscarded } from '../record/response-summary.ts';
import { withoutUser } from '../record/without-user.ts';
import type { ObserverFactory } from './observer.ts';
import { callRecords, classesOf, outcomeOf } from './outcome.ts';

/** Gives every request to the recorder, refused and failed ones included; what was said beside it where it is to be kept. */
export const transcribe =
  (recorder: Recorder): ObserverFactory =>
  (record) => ({ done: () => recorder.add(recordOf(record, recorder)) });

/** Bodies are kept only of turns that have to do with tools, and only of teams that allow it. */
export const keepsBodies = ({ key, turn }: Pick<RequestInfo, 'key' | 'turn'>): boolean =>
  key?.storesBodies === true && turn !== undefined && (turn.tools.size > 0 || hasToolHistory(turn));

function recordOf(record: RequestRecord, recorder: Recorder): TurnRecord {
  const { request, attempts, response } = record;
  const { raw } = attempts;
  const { key, model, turn } = request;
  const { route } = attempts;
  const answering = attempts.model ?? model;
  const { fault, usage, notes, discarded } = response;
  const tokens = tokensOf(response);
  const calls = callRecords(response);
  const failed = fault !== undefined;
  const outcome = outcomeOf(calls, notes, turn?.tools.size ?? 0, failed);
  const stores =
    key !== undefined &&
    raw !== undefined &&
    keepsBodies(request) &&
    recorder.stores({ outcome, failed, storesBodies: key.storesBodies });
  const added = overheadMs(record);
  return {
    id: request.id,
    requestId: request.requestId,
    route: request.path,
    teamId: key?.teamId ?? null,
    keyId: key?.id ?? null,
    modelId: answering?.id ?? null,
    model: (model?.name ?? request.requestedModel).slice(0, 200),
    fallbackModel: answering === model ? null : (answering?.name ?? null),
    upstreamId: route?.upstream.id ?? null,
    engineVersion: route?.upstream.engineVersion ?? null,
    strategy: answering?.strategy.value ?? null,
    strategyUsed: attempts.strategyUsed ?? null,
    dialect: attempts.dialect ?? null,
    client: request.client,
    conversation: turn && key ? conversationKey(key.id, turn, request.conversation) : null,
    streamed: request.streamed,
    outcome,
    classes: classesOf(notes),
    corrected: response.corrected,
    toolsOffered: turn?.tools.size ?? 0,
    injectedTokens: attempts.toolPromptTokens ?? null,
    inputTokens: tokens?.inputTokens ?? null,
    outputTokens: tokens?.outputTokens ?? null,
    cachedTokens: tokens?.cachedTokens ?? null,
    spend: (tokens && spendOf(answering?.price?.value, tokens)) ?? null,
    tokenSource: usage?.source ?? null,
    correctionTokens: attempts.tries.length > 0 ? discarded.inputTokens + discarded.outputTokens : null,
    agentRounds: attempts.rounds?.length ?? null,
    agentLimit: attempts.agentLimit ?? null,
    addedUs: added === undefined ? null : Math.round(added * 1000),
    firstTokenMs: response.firstTokenAt === undefined ? null : Math.round(response.firstTokenAt - request.arrivedAt),
    totalMs: Math.round(endOf(response) - request.startedAt),
    attempts: attempts.count,
    status: response.status,
    errorOrigin: response.clientClosed ? 'client' : (fault?.origin ?? null),
    errorCode: response.clientClosed ? 'client_disconnected' : (fault?.code ?? null),
    errorMessage: response.clientClosed
      ? 'The client hung up before its answer was whole.'
      : (fault?.message.slice(0, 2000) ?? null),
    calls,
    body: stores
      ? {
          clientRequest: request.body ? withoutUser(new TextDecoder().decode(request.body), request.user) : null,
          upstreamRequest: attempts.body ?? null,
          raw: raw.raw(),
          ...(attempts.tries.length > 0 && { tries: attempts.tries.map(tryOf) }),
          ...(attempts.rounds && { rounds: attempts.rounds.map(roundOf) }),
          delivered: response.answer.whole().choices.map(({ notes: _, runs: __, ...choice }) => choice),
          notes: notes,
          settings: settingsOf(record),
        }
      : null,
  };
}

/** D-44: the record has the tokens of all tries. */
function tokensOf({ usage, discarded }: RequestRecord['response']): Parameters<typeof withDiscarded>[0] | undefined {
  const none = { inputTokens: 0, outputTokens: 0 };
  return usage || discarded.inputTokens > 0 ? withDiscarded(usage ?? none, discarded) : undefined;
}

/** The delivered one's request and answer stand in the body itself. */
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
  runs: runs.map((run) => ({ ...run, server: run.server ?? null })),
});

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
