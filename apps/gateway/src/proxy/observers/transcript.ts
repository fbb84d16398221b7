import { settingNamed, settingNames } from '@callsmith/contracts';
import type { RawChoice, Recorder, TurnRecord } from '@callsmith/data/record';
import { append, hasToolHistory, type UpstreamEvent } from '@callsmith/turn';
import { conversationKey } from '../attempts/conversation-key.ts';
import type { RequestRecord } from '../record/request-record.ts';
import type { AttemptListeners, ObserverFactory } from './observer.ts';
import { callRecords, classesOf, outcomeOf } from './outcome.ts';

/** Gives every request to the recorder, refused and failed ones included; what was said beside it where it is to be kept. */
export const transcribe =
  (recorder: Recorder): ObserverFactory =>
  (exchange) => {
    let heard: Hearing | undefined;
    return {
      attempt() {
        if (!keepsBodies(exchange)) return undefined;
        heard = new Hearing();
        return heard;
      },
      done: () => recorder.add(recordOf(exchange, recorder, heard)),
    };
  };

/** Bodies are kept only of turns that have to do with tools, and only of teams that allow it. */
export const keepsBodies = (exchange: RequestRecord): boolean =>
  exchange.key?.storesBodies === true &&
  exchange.turn !== undefined &&
  (exchange.turn.tools.size > 0 || hasToolHistory(exchange.turn));

/** What one attempt said, and what was understood of it. */
class Hearing implements AttemptListeners {
  private readonly choices = new Map<
    number,
    { text: string; reasoning: string; cuts: number[]; fragments: unknown[] }
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
      case 'call-fragment': {
        const { type: _, choice, ...fragment } = event;
        this.choice(choice).fragments.push(fragment);
        return;
      }
      default:
    }
  };

  raw(): RawChoice[] {
    return [...this.choices].map(([choice, said]) => ({ choice, ...said }));
  }

  private choice(index: number) {
    let choice = this.choices.get(index);
    if (choice === undefined) this.choices.set(index, (choice = { text: '', reasoning: '', cuts: [], fragments: [] }));
    return choice;
  }
}

function recordOf(exchange: RequestRecord, recorder: Recorder, heard: Hearing | undefined): TurnRecord {
  const { summary, key, model, route, turn, fault } = exchange;
  const calls = callRecords(summary);
  const failed = fault !== undefined;
  const outcome = outcomeOf(calls, summary.notes, turn?.tools.size ?? 0, failed);
  const stores =
    key !== undefined && heard !== undefined && recorder.stores({ outcome, failed, storesBodies: key.storesBodies });
  const added = exchange.overheadMs();
  return {
    id: exchange.id,
    at: exchange.at,
    requestId: exchange.requestId,
    route: exchange.path,
    teamId: key?.teamId ?? null,
    keyId: key?.id ?? null,
    modelId: model?.id ?? null,
    model: (model?.name ?? exchange.requestedModel).slice(0, 200),
    upstreamId: route?.upstream.id ?? null,
    engineVersion: route?.upstream.engineVersion ?? null,
    strategy: model?.strategy.value ?? null,
    strategyUsed: exchange.strategyUsed ?? null,
    dialect: exchange.dialect ?? null,
    client: exchange.client,
    conversation: turn && key ? conversationKey(key.id, turn) : null,
    streamed: exchange.streamed,
    outcome,
    classes: classesOf(summary.notes),
    toolsOffered: turn?.tools.size ?? 0,
    injectedTokens: exchange.toolPromptTokens ?? null,
    inputTokens: summary.usage?.inputTokens ?? null,
    outputTokens: summary.usage?.outputTokens ?? null,
    cachedTokens: summary.usage?.cachedTokens ?? null,
    tokenSource: summary.usage?.source ?? null,
    addedUs: added === undefined ? null : Math.round(added * 1000),
    firstTokenMs: summary.firstTokenAt === undefined ? null : Math.round(summary.firstTokenAt - exchange.arrivedAt),
    totalMs: Math.round(exchange.end - exchange.startedAt),
    attempts: exchange.attempts,
    status: exchange.status,
    errorOrigin: exchange.clientClosed ? 'client' : (fault?.origin ?? null),
    errorCode: exchange.clientClosed ? 'client_disconnected' : (fault?.code ?? null),
    errorMessage: exchange.clientClosed
      ? 'The client hung up before its answer was whole.'
      : (fault?.message.slice(0, 2000) ?? null),
    calls,
    body: stores
      ? {
          clientRequest: exchange.clientBody ? new TextDecoder().decode(exchange.clientBody) : null,
          upstreamRequest: exchange.upstreamBody ?? null,
          raw: heard.raw(),
          delivered: exchange.delivered.whole().choices.map(({ notes: _, ...choice }) => choice),
          notes: summary.notes,
          settings: settingsOf(exchange),
        }
      : null,
  };
}

const sourcedNames = settingNames.filter((name) => !settingNamed(name).bare);

function settingsOf({ model, dialect, strategyUsed }: RequestRecord): unknown {
  if (model === undefined) return {};
  const { strategy, holdBytes } = model;
  return {
    strategy,
    strategyUsed,
    dialect: { value: dialect, source: model.dialect.source },
    holdBytes,
    ...Object.fromEntries(sourcedNames.flatMap((name) => (model[name] ? [[name, model[name]]] : []))),
  };
}
