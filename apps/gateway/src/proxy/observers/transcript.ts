import { settingNamed, settingNames } from '@callsmith/contracts';
import { spendOf } from '@callsmith/data/limits';
import type { RawChoice, Recorder, TurnRecord } from '@callsmith/data/record';
import { append, hasToolHistory, type UpstreamEvent } from '@callsmith/turn';
import { conversationKey } from '../record/conversation-key.ts';
import type { RequestInfo } from '../record/request-info.ts';
import { endOf, overheadMs, type RequestRecord } from '../record/request-record.ts';
import { withoutUser } from '../record/without-user.ts';
import type { AttemptListeners, ObserverFactory } from './observer.ts';
import { callRecords, classesOf, outcomeOf } from './outcome.ts';

/** Gives every request to the recorder, refused and failed ones included; what was said beside it where it is to be kept. */
export const transcribe =
  (recorder: Recorder): ObserverFactory =>
  (record) => {
    let raw: RawAnswer | undefined;
    return {
      attempt() {
        if (!keepsBodies(record.request)) return undefined;
        raw = new RawAnswer();
        return raw;
      },
      done: () => recorder.add(recordOf(record, recorder, raw)),
    };
  };

/** Bodies are kept only of turns that have to do with tools, and only of teams that allow it. */
export const keepsBodies = ({ key, turn }: Pick<RequestInfo, 'key' | 'turn'>): boolean =>
  key?.storesBodies === true && turn !== undefined && (turn.tools.size > 0 || hasToolHistory(turn));

type CallFragment = Extract<UpstreamEvent, { type: 'call-fragment' }>;

/** What the model said in one attempt, as it came. */
class RawAnswer implements AttemptListeners {
  private readonly choices = new Map<
    number,
    { text: string; reasoning: string; cuts: number[]; fragments: CallFragment[] }
  >();

  readonly upstreamEvent = (event: UpstreamEvent): void => {
    switch (event.type) {
      case 'text-delta': {
        const choice = this.choice(event.choice);
        choice.text = append(choice.text, event.text);
        choice.cuts.push(choice.text.length);
        return;
      }
      case 'reasoning-delta': {
        const choice = this.choice(event.choice);
        choice.reasoning = append(choice.reasoning, event.text);
        return;
      }
      case 'call-fragment':
        this.choice(event.choice).fragments.push(event);
        return;
      default:
    }
  };

  raw(): RawChoice[] {
    return [...this.choices].map(([choice, { fragments, ...said }]) => ({
      choice,
      ...said,
      fragments: fragments.map(({ type: _, choice: __, ...fragment }) => fragment),
    }));
  }

  private choice(index: number) {
    let choice = this.choices.get(index);
    if (choice === undefined) this.choices.set(index, (choice = { text: '', reasoning: '', cuts: [], fragments: [] }));
    return choice;
  }
}

function recordOf(record: RequestRecord, recorder: Recorder, raw: RawAnswer | undefined): TurnRecord {
  const { request, attempts, response } = record;
  const { key, model, turn } = request;
  const { route } = attempts;
  const { fault, usage, notes } = response;
  const calls = callRecords(response);
  const failed = fault !== undefined;
  const outcome = outcomeOf(calls, notes, turn?.tools.size ?? 0, failed);
  const stores =
    key !== undefined && raw !== undefined && recorder.stores({ outcome, failed, storesBodies: key.storesBodies });
  const added = overheadMs(record);
  return {
    id: request.id,
    requestId: request.requestId,
    route: request.path,
    teamId: key?.teamId ?? null,
    keyId: key?.id ?? null,
    modelId: model?.id ?? null,
    model: (model?.name ?? request.requestedModel).slice(0, 200),
    upstreamId: route?.upstream.id ?? null,
    engineVersion: route?.upstream.engineVersion ?? null,
    strategy: model?.strategy.value ?? null,
    strategyUsed: attempts.strategyUsed ?? null,
    dialect: attempts.dialect ?? null,
    client: request.client,
    conversation: turn && key ? conversationKey(key.id, turn, request.conversation) : null,
    streamed: request.streamed,
    outcome,
    classes: classesOf(notes),
    toolsOffered: turn?.tools.size ?? 0,
    injectedTokens: attempts.toolPromptTokens ?? null,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    spend: (usage && spendOf(model?.price?.value, usage)) ?? null,
    tokenSource: usage?.source ?? null,
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
          delivered: response.answer.whole().choices.map(({ notes: _, ...choice }) => choice),
          notes: notes,
          settings: settingsOf(record),
        }
      : null,
  };
}

const sourcedNames = settingNames.filter((name) => !settingNamed(name).bare);

function settingsOf({ request: { model }, attempts: { strategyUsed, route } }: RequestRecord): unknown {
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
