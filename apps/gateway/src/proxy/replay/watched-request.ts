import type { PlaygroundProgress, PlaygroundResult, TurnDetail } from '@callsmith/contracts';
import { Fault, type UpstreamEvent } from '@callsmith/turn';
import { callRecords, classesOf, outcomeOf } from '../observers/index.ts';
import { RawAnswer } from '../record/raw-answer.ts';
import { newRecord, type RequestRecord } from '../record/request-record.ts';
import { asFault } from '../request/as-fault.ts';
import type { ReplayWatcher } from './replay-request.ts';
import { type ClientlessRequest, sendWithoutClient } from './send-without-client.ts';

/** Receives the events of a watched request, and can pause reading. */
export interface WatchOptions extends Pick<ReplayWatcher, 'flow'> {
  emit(progress: PlaygroundProgress): void;
  /** Reports an internal error, whose text must not be shown to the user. */
  reportError(error: unknown): void;
}

/**
 * Sends a request without a client and passes its events to `watching.emit` as they come; the last one, `done`, has the
 * outcome. Never rejects.
 */
export async function sendWatched(
  request: ClientlessRequest,
  watching: WatchOptions,
  parts: Omit<Parameters<typeof sendWithoutClient>[1], 'watcher'>,
): Promise<void> {
  const answers: RawAnswer[] = [];
  const { emit } = watching;
  const watcher: ReplayWatcher = {
    flow: watching.flow,
    attempt() {
      answers.push(new RawAnswer());
      emit({ type: 'attempt' });
    },
    raw(event) {
      answers.at(-1)?.upstreamEvent(event);
      if (isOutput(event)) emit({ type: 'raw', event });
    },
    begun: () => emit({ type: 'begin' }),
    delivered: (event) => emit({ type: 'delivered', event }),
  };
  const record = await sendWithoutClient(request, { ...parts, watcher }).catch((error: unknown) => {
    const fault = asFault(error);
    if (fault.code === 'internal_error') watching.reportError(error);
    return endedBy(request.route, fault);
  });
  emit({ type: 'done', result: resultOf(record, answers) });
}

const isOutput = ({ type }: UpstreamEvent): boolean =>
  type === 'text-delta' || type === 'reasoning-delta' || type === 'call-fragment';

function endedBy(route: string, fault: Fault): RequestRecord {
  const record = newRecord('', route, 'other');
  record.response.refuse(fault);
  return record;
}

function resultOf({ request, attempts, response }: RequestRecord, answers: readonly RawAnswer[]): PlaygroundResult {
  const { notes, usage, fault, firstTokenAt } = response;
  const calls = callRecords(response);
  return {
    outcome: outcomeOf(calls, notes, request.turn?.tools.size ?? 0, fault !== undefined),
    classes: classesOf(notes),
    strategyUsed: attempts.strategyUsed ?? null,
    dialect: attempts.dialect ?? null,
    upstream: attempts.route?.upstream.name ?? null,
    calls: calls as TurnDetail['callList'],
    notes: notes as PlaygroundResult['notes'],
    raw: answers.map((answer) => answer.raw() as PlaygroundResult['raw'][number]).filter(({ length }) => length > 0),
    delivered: deliveredOf({ request, response }),
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    firstTokenMs: firstTokenAt === undefined ? null : Math.round(firstTokenAt - request.startedAt),
    totalMs: Math.round(performance.now() - request.startedAt),
    errorCode: fault?.code ?? null,
    errorMessage: fault?.message.slice(0, 2000) ?? null,
  };
}

/** The choices as a client would get them; null if it would get an error only. */
function deliveredOf({ request, response }: Pick<RequestRecord, 'request' | 'response'>): unknown {
  const { choices } = response.answer.whole();
  if (response.fault && (!request.turn?.stream || choices.length === 0)) return null;
  return choices.map(({ notes: _, runs: __, ...choice }) => choice);
}
