import { redact } from '../redaction/redact.ts';
import type { RawChoice, RoundRecord, TryRecord, TurnBodyRecord } from './turn-record.ts';

/** Maximum stored UTF-16 units of one body. */
const MOST = 1024 * 1024;
const MOST_DEPTH = 64;
/** Members of one JSON value that are stored. */
const MOST_MEMBERS = 100_000;
/** Members at this depth and above always are: a response's text, behind the log probabilities of another choice. */
const ALWAYS_KEPT = 2;

/** A text that Postgres accepts: U+0000 and lone surrogates become U+FFFD, which keeps the length. */
export function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

/** A text for the record: secrets masked, storable, with unchanged offsets. */
export const recorded = (text: string): string => storable(redact(text));

/** How much text after its cut is examined: a secret across the cut is recognized by what follows. */
const BEHIND_THE_CUT = 1024;

/** The beginning of a text, at most so many UTF-16 units, for the record. */
export const recordedUpTo = (text: string, most: number): string =>
  text.length <= most ? recorded(text) : storable(redact(text.slice(0, most + BEHIND_THE_CUT)).slice(0, most));

/**
 * Makes all texts in a JSON value, member names included, storable. Of a value with very many members, as foreign fields
 * of a response may have, the beginning is kept.
 */
export const recordedDeep = (value: unknown): unknown => recordedWithin(value, 0, { members: MOST_MEMBERS });

function recordedWithin(value: unknown, depth: number, left: { members: number }): unknown {
  if (typeof value === 'string') return recordedUpTo(value, MOST);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MOST_DEPTH) return null;
  const takes = (): boolean => depth < ALWAYS_KEPT || left.members-- > 0;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (!takes()) break;
      items.push(recordedWithin(item, depth + 1, left));
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const name in value) {
    if (!takes()) break;
    members.push([recorded(name), recordedWithin((value as Record<string, unknown>)[name], depth + 1, left)]);
  }
  return Object.fromEntries(members);
}

/** A body for the record. */
export function recordedBody(body: TurnBodyRecord): TurnBodyRecord {
  return {
    clientRequest: bounded(body.clientRequest),
    upstreamRequest: bounded(body.upstreamRequest),
    raw: body.raw.map(recordedRaw),
    delivered: recordedDeep(body.delivered),
    ...(body.tries && { tries: body.tries.map(recordedTry) }),
    ...(body.rounds && { rounds: recordedDeep(body.rounds) as readonly RoundRecord[] }),
    ...(body.timeline && { timeline: body.timeline.map((one) => ({ ...one, name: recordedUpTo(one.name, 200) })) }),
    notes: recordedDeep(body.notes) as TurnBodyRecord['notes'],
    settings: recordedDeep(body.settings),
  };
}

const recordedTry = (attempt: TryRecord): TryRecord => ({
  ...attempt,
  messages: recordedDeep(attempt.messages) as TryRecord['messages'],
  upstreamRequest: bounded(attempt.upstreamRequest),
  raw: attempt.raw.map(recordedRaw),
});

function bounded(text: string | null): string | null {
  if (text === null) return null;
  if (text.length <= MOST) return recorded(text);
  return `${recordedUpTo(text, MOST)}… (${text.length - MOST} more characters were not kept)`;
}

function recordedRaw(raw: RawChoice): RawChoice {
  return {
    choice: raw.choice,
    text: recordedUpTo(raw.text, MOST),
    reasoning: recordedUpTo(raw.reasoning, MOST),
    cuts: raw.cuts.filter((cut) => cut <= MOST),
    fragments: recordedPieces(raw.fragments),
  };
}

interface Fragment {
  readonly index?: unknown;
  readonly arguments?: unknown;
}

/**
 * Makes fragments of a text (strings) and of calls (`index`, `arguments`) storable, with secrets masked that span
 * several of them: the fragments are joined, masked, and split where they were. What exceeds the limit of a body is
 * empty.
 */
export const recordedPieces = (pieces: readonly unknown[]): unknown[] =>
  recordedDeep(joinedFragments(pieces)) as unknown[];

function joinedFragments(fragments: readonly unknown[]): unknown[] {
  const joined = new Map<unknown, string>();
  let length = 0;
  const pieces = fragments.map((fragment) => {
    const [index, piece] = typeof fragment === 'string' ? ['text', fragment] : placed(fragment as Fragment | null);
    if (typeof piece !== 'string') return undefined;
    const text = joined.get(index) ?? '';
    joined.set(index, text + piece.slice(0, Math.max(0, MOST + BEHIND_THE_CUT - length)));
    const kept = Math.min(piece.length, Math.max(0, MOST - length));
    length += piece.length;
    return { index, from: text.length, to: text.length + kept };
  });
  const masked = new Map([...joined].map(([index, text]) => [index, redact(text)]));
  return fragments.map((fragment, at) => {
    const piece = pieces[at];
    if (!piece) return fragment;
    const text = (masked.get(piece.index) ?? '').slice(piece.from, piece.to);
    return typeof fragment === 'string' ? text : { ...(fragment as object), arguments: text };
  });
}

const placed = (fragment: Fragment | null): [index: unknown, piece: unknown] => [fragment?.index, fragment?.arguments];

/** Approximate UTF-16 units of a body. */
export function sizeOf(body: TurnBodyRecord | null): number {
  if (!body) return 0;
  const tried = (body.tries ?? []).reduce(
    (sum, { upstreamRequest, raw }) => sum + (upstreamRequest?.length ?? 0) + sizeOfRaw(raw),
    0,
  );
  const rounds = (body.rounds ?? []).flatMap(({ runs }) => runs);
  const ran = rounds.reduce((sum, { arguments: json, result }) => sum + json.length + result.length, 0);
  const requests = (body.clientRequest?.length ?? 0) + (body.upstreamRequest?.length ?? 0);
  return requests + 2 * sizeOfRaw(body.raw) + tried + ran;
}

const sizeOfRaw = (raw: readonly RawChoice[]): number =>
  raw.reduce((sum, { text, reasoning, fragments }) => sum + text.length + reasoning.length + fragments.length * 60, 0);
