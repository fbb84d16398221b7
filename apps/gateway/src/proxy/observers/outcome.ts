import { createHash } from 'node:crypto';
import type { CallRecord } from '@callsmith/data/record';
import { type CallOutcome, type Finding, type FindingClass, outcomes, type TurnOutcome } from '@callsmith/turn';
import type { ResponseSummary, SentCall } from '../record/response-summary.ts';

/** The calls and the findings of a response. */
type Sent = Pick<ResponseSummary, 'calls' | 'notes' | 'corrected'>;

/** Each call of a turn, dropped ones included, with its outcome. */
export function callRecords(response: Sent): CallRecord[] {
  const records: CallRecord[] = [];
  for (const choice of choicesOf(response)) {
    const notes = response.notes.filter((note) => note.choice === choice && note.call !== undefined);
    const sent = response.calls.filter((call) => call.choice === choice);
    const byCall = notesByCall(notes);
    for (const [position, call] of placed(sent, notes))
      records.push(recordOf(records.length, call, byCall.get(position) ?? []));
  }
  return response.corrected ? records.map((record) => ofSecondTry(record, response.notes)) : records;
}

/** A call of a correction counts as repaired. It is recorded with the reason why the first one was unusable. */
function ofSecondTry(record: CallRecord, notes: readonly Finding[]): CallRecord {
  const found = notes.filter(({ action }) => action === 'corrected');
  return {
    ...record,
    outcome: record.outcome === 'clean' ? 'repaired' : record.outcome,
    classes: [...new Set([...classesOf(found), ...record.classes])],
    action: record.action ?? 'corrected',
    shape: record.shape ?? shapeOf(found),
  };
}

function notesByCall(notes: readonly Finding[]): ReadonlyMap<number | undefined, readonly Finding[]> {
  const byCall = new Map<number | undefined, Finding[]>();
  for (const note of notes) {
    const same = byCall.get(note.call);
    if (same) same.push(note);
    else byCall.set(note.call, [note]);
  }
  return byCall;
}

/** A turn's outcome: that of its worst call, or `none` if tools were offered and no call came. */
export function outcomeOf(
  calls: readonly CallRecord[],
  notes: readonly Finding[],
  tools: number,
  failed: boolean,
): TurnOutcome {
  const worst = calls.reduce((rank, call) => Math.max(rank, ranks.indexOf(call.outcome)), -1);
  // Findings about no one call, e.g. that a required call never came.
  if (notes.some((note) => note.call === undefined && isFailure(note))) return 'failed';
  if (worst >= 0) return ranks[worst] ?? null;
  return tools > 0 && !failed ? 'none' : null;
}

const ranks: readonly CallOutcome[] = outcomes;

/** All classes among some notes, each once. */
export const classesOf = (notes: readonly Finding[]): FindingClass[] => [
  ...new Set(notes.flatMap((note) => (note.class ? [note.class] : []))),
];

function choicesOf(response: Sent): number[] {
  return [...new Set([...response.calls, ...response.notes].map(({ choice }) => choice))].sort((a, b) => a - b);
}

/** Calls by their position in the answer: a dropped call has a position and was not sent. */
function placed(sent: readonly SentCall[], notes: readonly Finding[]): [number, SentCall | undefined][] {
  const dropped = new Set(notes.filter(wasDropped).map((note) => note.call));
  const result: [number, SentCall | undefined][] = [];
  let next = 0;
  for (let position = 0; next < sent.length || dropped.size > 0; position++) {
    if (dropped.delete(position)) result.push([position, undefined]);
    else if (next < sent.length) result.push([position, sent[next++]]);
    else if (position > maxPosition) break;
  }
  return result;
}

const maxPosition = 100_000;

const wasDropped = (note: Finding): boolean => note.action === 'dropped' || note.action === 'released';

function recordOf(n: number, call: SentCall | undefined, notes: readonly Finding[]): CallRecord {
  const outcome = callOutcome(call, notes);
  return {
    n,
    tool: (call?.name ?? notes.find((note) => note.tool)?.tool ?? '').slice(0, 200),
    outcome,
    classes: classesOf(notes),
    rules: [...new Set(notes.flatMap((note) => (note.rule ? [note.rule] : [])))],
    action: notes.find((note) => note.action)?.action ?? null,
    bytes: call?.bytes ?? 0,
    shape: outcome === 'clean' ? null : shapeOf(notes),
  };
}

function callOutcome(call: SentCall | undefined, notes: readonly Finding[]): CallOutcome {
  if (call === undefined || !call.whole || notes.some(isFailure)) return 'failed';
  if (notes.some(isInvalid)) return 'invalid';
  return notes.some((note) => note.action === 'repaired' || note.action === 'rescued') ? 'repaired' : 'clean';
}

const isFailure = (note: Finding): boolean =>
  note.action === 'dropped' ||
  note.action === 'wrapped' ||
  (note.action === 'released' && note.class !== undefined) ||
  (note.action !== 'corrected' && (note.class === 'EmptyAnswer' || note.class === 'CallRequired'));

/** D-34: the call went out, and nothing was done about what is wrong with it. */
const isInvalid = (note: Finding): boolean =>
  note.rule === undefined &&
  note.action === undefined &&
  (note.class === 'SchemaMismatch' || note.class === 'UnknownName' || note.class === 'MissingArguments');

/** Calls that went wrong in the same way have the same shape: classes, rules and the detail with its values masked. */
function shapeOf(notes: readonly Finding[]): string {
  const text = notes.map((note) => `${note.class ?? ''}/${note.rule ?? ''}/${masked(note.detail ?? '')}`).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const masked = (detail: string): string =>
  detail
    .slice(0, 4000)
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\d+/g, '0');
