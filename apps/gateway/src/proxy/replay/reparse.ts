import { setImmediate } from 'node:timers/promises';
import type { RawChoice } from '@callsmith/data/record';
import { inboundAdapterOf } from '@callsmith/protocols';
import type { Stage } from '@callsmith/stream';
import { dialectNamed } from '@callsmith/toolcall';
import {
  type BaseStrategy,
  Fault,
  type Finding,
  type FinishReason,
  type FoldedChoice,
  isObject,
  type JsonValue,
  parseJson,
  type Turn,
  type TurnEvent,
  type UpstreamEvent,
} from '@callsmith/turn';
import { callRecords, classesOf, outcomeOf } from '../observers/index.ts';
import { newResponseSummary } from '../record/response-summary.ts';
import { parseResponse } from '../upstream/parse-response.ts';

/** What is kept of an answer, and of how it was read. */
export interface RecordedRequest {
  readonly route: string;
  readonly model: string;
  /** How the tools were sent. */
  readonly strategyUsed: BaseStrategy;
  /** The model's dialect, or that in which the prompt taught the tools; null: none was chosen yet. */
  readonly dialect: string | null;
  readonly streamed: boolean;
  readonly errorCode: string | null;
  readonly clientRequest: string | null;
  readonly raw: readonly RawChoice[];
  /** The choices that the client got. */
  readonly delivered: readonly { readonly reason?: FinishReason | undefined }[];
  readonly notes: readonly (Finding & { readonly choice?: number })[];
  readonly settings: unknown;
}

/** Texts are read in slices of so many UTF-16 units, between which requests have their turn. */
const SLICE = 64 * 1024;

/**
 * Reads a stored answer once more, cut where it was cut then: in `dialect`, as if it were declared, or undefined: in that of then. Of an answer
 * the order of text and native calls and the upstream's own finish reason are not kept: text goes first, and the reason
 * is derived from the outcome. Throws a `Fault` where the request was not kept whole, so that its tools are not known.
 */
export async function reparse(stored: RecordedRequest, dialect: string | undefined) {
  const turn = turnOf(stored);
  const summary = newResponseSummary();
  // What was noticed of the request and of tries before this answer, and done upstream, stays as it was.
  for (const note of stored.notes)
    if (note.stage === 'request' || note.stage === 'upstream' || note.action === 'corrected')
      summary.count({ type: 'note', choice: note.choice ?? 0, note });
  if (stored.notes.some(({ action }) => action === 'corrected')) summary.markCorrected();
  let fault: Fault | undefined;
  const sink = readerFor(
    stored,
    turn,
    dialect,
  )({
    push: (event) => summary.add(event),
    flush() {},
    end: (ended) => {
      fault = ended;
    },
  });
  let read = 0;
  for (const event of eventsOf(stored)) {
    sink.push(event);
    sink.flush();
    read += sizeOf(event);
    if (read < SLICE) continue;
    read = 0;
    await setImmediate();
  }
  // What nobody waited for any more was not read to its end.
  if (!wasLeft(stored)) sink.end(wasCut(stored) ? new Fault('upstream_error') : undefined);
  const calls = callRecords(summary);
  const choices: readonly FoldedChoice[] = summary.answer.whole().choices;
  return {
    outcome: outcomeOf(calls, summary.notes, turn.tools.size, fault !== undefined),
    classes: classesOf(summary.notes),
    // A fault of the upstream is the one of then.
    errorCode: fault !== undefined && isOurs(fault.code) ? fault.code : wasCut(stored) ? stored.errorCode : null,
    calls,
    choices,
  };
}

/** What of the request says how its answer is read: its tools, the choice among them, and whether calls may be many. */
function turnOf({ route, model, clientRequest }: RecordedRequest): Turn {
  const body = clientRequest === null ? undefined : parseJson(clientRequest);
  if (!isObject(body))
    throw new Fault('invalid_body', 'Its request was not stored completely, so its tools are unknown.');
  const adapter = inboundAdapterOf(route);
  return adapter.parseRequest({ ...adapter.withoutConversation(body), model }, limits);
}

const limits = { maxDepth: 200, maxMessages: 1, maxTools: 2000 };

function readerFor(stored: RecordedRequest, turn: Turn, dialect: string | undefined): Stage<UpstreamEvent, TurnEvent> {
  const then = settingOf(stored.settings, 'dialect');
  const holdBytes = settingOf(stored.settings, 'holdBytes')?.value;
  return parseResponse({
    turn,
    strategyUsed: stored.strategyUsed,
    dialect: dialect ?? (typeof then?.value === 'string' ? then.value : (stored.dialect ?? 'auto')),
    marksCalls: settingOf(stored.settings, 'marksCalls')?.value === true,
    dialectDeclared: dialect !== undefined || then?.source === 'declared',
    promptDialect: dialectNamed(stored.dialect ?? '') ?? dialectNamed('hermes'),
    holdBytes: typeof holdBytes === 'number' && !inboundAdapterOf(stored.route).wholeCalls ? holdBytes : null,
    streamed: stored.streamed,
    proxyRules: stored.route.startsWith('/proxy/'),
    reasoningPrefilled: settingOf(stored.settings, 'reasoningPrefilled')?.value === true,
    promoteReasoningCalls: settingOf(stored.settings, 'promoteReasoningCalls')?.value === true,
    // The request's messages are not read again: it ended with a result where that counted then.
    behindResult: stored.notes.some((note) => note.class === 'AnnouncedNotCalled'),
    nudgeAnnounced: false,
  });
}

function settingOf(settings: unknown, name: string): { value?: unknown; source?: unknown } | undefined {
  const setting = isObject(settings as JsonValue) ? (settings as Record<string, unknown>)[name] : undefined;
  return isObject(setting as JsonValue) ? (setting as object) : undefined;
}

function* eventsOf(stored: RecordedRequest): Generator<UpstreamEvent> {
  for (const { choice, text, reasoning, cuts, fragments } of stored.raw) {
    if (reasoning !== '') yield { type: 'reasoning-delta', choice, text: reasoning };
    let from = 0;
    for (const cut of [...cuts, text.length]) {
      if (cut > from) yield { type: 'text-delta', choice, text: text.slice(from, cut) };
      from = Math.max(from, cut);
    }
    for (const fragment of fragments)
      if (isObject(fragment as JsonValue)) yield { ...(fragment as object), type: 'call-fragment', choice };
    if (stored.delivered[choice]?.reason !== undefined || !wasCut(stored))
      yield { type: 'turn-end', choice, reason: reasonOf(stored, choice, fragments.length > 0) };
  }
}

/** What the upstream must have said for the end of a choice. */
function reasonOf({ delivered, notes, errorCode }: RecordedRequest, choice: number, native: boolean): FinishReason {
  const truncated = notes.some((note) => note.class === 'Truncated' && (note.choice ?? 0) === choice);
  if (truncated || errorCode === 'tool_call_truncated') return 'length';
  const reason = delivered[choice]?.reason ?? 'stop';
  return reason === 'tool_calls' && !native ? 'stop' : reason;
}

/** The answer ended by an error that was not found in reading it. */
const wasCut = ({ errorCode }: RecordedRequest): boolean => errorCode !== null && !isOurs(errorCode);

/** The client hung up. */
const wasLeft = ({ errorCode }: RecordedRequest): boolean => errorCode === 'client_disconnected';

const isOurs = (code: string): boolean => code === 'tool_call_truncated' || code === 'tool_call_required';

const sizeOf = (event: UpstreamEvent): number => {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text.length;
  return event.type === 'call-fragment' && typeof event.arguments === 'string' ? event.arguments.length : 60;
};
