import type { TurnDetail } from '@callsmith/contracts';
import type { bodyOf, callsOf } from '@callsmith/data/turns';

/** A call of a turn as the API shows it. */
export function callView(row: Awaited<ReturnType<typeof callsOf>>[number]): TurnDetail['callList'][number] {
  const { n, tool, rules, action, bytes, shape } = row;
  type Call = TurnDetail['callList'][number];
  return {
    n,
    tool,
    rules,
    action,
    bytes,
    shape,
    outcome: row.outcome as Call['outcome'],
    classes: row.classes as Call['classes'],
  };
}

/** The stored bodies of a turn. */
export function bodyView(row: NonNullable<Awaited<ReturnType<typeof bodyOf>>>): TurnDetail['body'] {
  type Body = NonNullable<TurnDetail['body']>;
  return {
    clientRequest: row.clientRequest,
    upstreamRequest: row.upstreamRequest,
    raw: (row.raw ?? []) as Body['raw'],
    delivered: row.delivered,
    tries: row.tries as Body['tries'],
    rounds: row.rounds as Body['rounds'],
    timeline: row.timeline as Body['timeline'],
    notes: notesOf(row.notes as unknown as StoredNote[]),
    settings: row.settings,
  };
}

/** Notes as any version stored them: names that changed with version 0.2 are mapped to the new ones. */
const notesOf = (notes: readonly StoredNote[] | null): Notes =>
  (notes ?? []).map((note) => ({
    ...note,
    stage: formerStages[note.stage] ?? note.stage,
    ...(note.class === 'EmptyTurn' && { class: 'EmptyAnswer' }),
  })) as Notes;

type Notes = NonNullable<TurnDetail['body']>['notes'];

interface StoredNote {
  readonly stage: string;
  readonly class?: string;
}

const formerStages: Readonly<Record<string, string>> = { read: 'parse', settle: 'finalize' };
