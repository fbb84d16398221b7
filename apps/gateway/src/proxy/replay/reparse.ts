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

/** What is stored of a request, its response, and the settings by which the response was parsed. */
export interface RecordedRequest {
  readonly route: string;
  readonly model: string;
  /** How the tools were sent. */
  readonly strategyUsed: BaseStrategy;
  /** The model's dialect, or that of the tool prompt; null: none had been chosen. */
  readonly dialect: string | null;
  readonly streamed: boolean;
  readonly errorCode: string | null;
  readonly clientRequest: string | null;
  readonly raw: readonly RawChoice[];
  /** The choices as the client got them. */
  readonly delivered: readonly { readonly reason?: FinishReason | undefined }[];
  readonly notes: readonly (Finding & { readonly choice?: number })[];
  readonly settings: unknown;
}

/** UTF-16 units that are parsed before the event loop runs, so that requests are not delayed. */
const SLICE = 64 * 1024;

/**
 * Parses a stored response again, in the same pieces as originally. `dialect`: the dialect to use as if it were declared;
 * undefined: the recorded one. Two things are not stored: the order of text and native calls, so that text comes first;
 * and the upstream's finish reason, which is derived from the outcome. Throws a `Fault` if the request was not stored
 * completely, so that its tools are unknown.
 */
export async function reparse(stored: RecordedRequest, dialect: string | undefined) {
  const turn = turnOf(stored);
  const summary = newResponseSummary();
  // Findings about the request, the upstream and earlier attempts do not come from this response: they are kept.
  for (const note of stored.notes)
    if (note.stage === 'request' || note.stage === 'upstream' || note.action === 'corrected')
      summary.count({ type: 'note', choice: note.choice ?? 0, note });
  if (stored.notes.some(({ action }) => action === 'corrected')) summary.markCorrected();
  let fault: Fault | undefined;
  const sink = parserFor(
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
  let parsed = 0;
  for (const event of eventsOf(stored)) {
    sink.push(event);
    sink.flush();
    parsed += sizeOf(event);
    if (parsed < SLICE) continue;
    parsed = 0;
    await setImmediate();
  }
  // After the client had disconnected, the rest of the response was not parsed.
  if (!clientDisconnected(stored)) sink.end(wasCut(stored) ? new Fault('upstream_error') : undefined);
  const calls = callRecords(summary);
  const choices: readonly FoldedChoice[] = summary.answer.whole().choices;
  return {
    outcome: outcomeOf(calls, summary.notes, turn.tools.size, fault !== undefined),
    classes: classesOf(summary.notes),
    // An error of the upstream is the recorded one; only the parser's own can change.
    errorCode: fault !== undefined && isParserError(fault.code) ? fault.code : wasCut(stored) ? stored.errorCode : null,
    calls,
    choices,
  };
}

/**
 * The turn without its messages: tools, tool choice and parallel calls, which parsing depends on. Throws `invalid_body`
 * if the request was not stored completely.
 */
function turnOf({ route, model, clientRequest }: RecordedRequest): Turn {
  const body = clientRequest === null ? undefined : parseJson(clientRequest);
  if (!isObject(body))
    throw new Fault('invalid_body', 'Its request was not stored completely, so its tools are unknown.');
  const adapter = inboundAdapterOf(route);
  return adapter.parseRequest({ ...adapter.withoutConversation(body), model }, limits);
}

const limits = { maxDepth: 200, maxMessages: 1, maxTools: 2000 };

function parserFor(stored: RecordedRequest, turn: Turn, dialect: string | undefined): Stage<UpstreamEvent, TurnEvent> {
  const recordedDialect = settingOf(stored.settings, 'dialect');
  const holdBytes = settingOf(stored.settings, 'holdBytes')?.value;
  return parseResponse({
    turn,
    strategyUsed: stored.strategyUsed,
    dialect:
      dialect ?? (typeof recordedDialect?.value === 'string' ? recordedDialect.value : (stored.dialect ?? 'auto')),
    marksCalls: settingOf(stored.settings, 'marksCalls')?.value === true,
    dialectDeclared: dialect !== undefined || recordedDialect?.source === 'declared',
    promptDialect: dialectNamed(stored.dialect ?? '') ?? dialectNamed('hermes'),
    holdBytes: typeof holdBytes === 'number' && !inboundAdapterOf(stored.route).wholeCalls ? holdBytes : null,
    streamed: stored.streamed,
    proxyRules: stored.route.startsWith('/proxy/'),
    reasoningPrefilled: settingOf(stored.settings, 'reasoningPrefilled')?.value === true,
    promoteReasoningCalls: settingOf(stored.settings, 'promoteReasoningCalls')?.value === true,
    // The messages are not parsed again. The request ended with a tool's result if this class was found.
    behindResult: stored.notes.some((note) => note.class === 'AnnouncedNotCalled'),
    nudgeAnnounced: false,
  });
}

/** A recorded setting and its source; undefined if it was not recorded. */
function settingOf(settings: unknown, name: string): { value?: unknown; source?: unknown } | undefined {
  const setting = isObject(settings as JsonValue) ? (settings as Record<string, unknown>)[name] : undefined;
  return isObject(setting as JsonValue) ? (setting as object) : undefined;
}

/** The upstream's events, rebuilt from what is stored, cut where they were cut. */
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

/** The finish reason that the upstream must have sent for a choice; it is not stored. */
function reasonOf({ delivered, notes, errorCode }: RecordedRequest, choice: number, native: boolean): FinishReason {
  const truncated = notes.some((note) => note.class === 'Truncated' && (note.choice ?? 0) === choice);
  if (truncated || errorCode === 'tool_call_truncated') return 'length';
  const reason = delivered[choice]?.reason ?? 'stop';
  return reason === 'tool_calls' && !native ? 'stop' : reason;
}

/** True if the response ended with an error that did not come from parsing it. */
const wasCut = ({ errorCode }: RecordedRequest): boolean => errorCode !== null && !isParserError(errorCode);

/** True if the client disconnected. */
const clientDisconnected = ({ errorCode }: RecordedRequest): boolean => errorCode === 'client_disconnected';

/** True for errors that parsing itself finds. */
const isParserError = (code: string): boolean => code === 'tool_call_truncated' || code === 'tool_call_required';

/** About how long an event is, in UTF-16 units. */
const sizeOf = (event: UpstreamEvent): number => {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text.length;
  return event.type === 'call-fragment' && typeof event.arguments === 'string' ? event.arguments.length : 60;
};
