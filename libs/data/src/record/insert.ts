import { columnNamed, type StoredColumnName, storedColumns } from '@callsmith/contracts';
import type { Pool } from 'pg';
import { turnTime } from '../ids.ts';
import { columnOf } from './column-of.ts';
import { argumentPaths, searchText } from './search-text.ts';
import { textVector } from './search-words.ts';
import { recordedBody, recordedUpTo } from './storable.ts';
import type { CallRecord, TurnBodyRecord, TurnRecord } from './turn-record.ts';

/**
 * The rows of one turn as JSON, with fields named like the columns: flat texts, because thousands of them may be
 * queued.
 */
export interface TurnRows {
  readonly id: string;
  readonly turn: string;
  /** Separated by commas; empty without calls. */
  readonly calls: string;
  readonly body: string | undefined;
}

/** The rows of a turn except its body, whose masking takes longer. */
export function turnRows(turn: TurnRecord, productVersion: string): Omit<TurnRows, 'body'> {
  const at = turnTime(turn.id).toISOString();
  return {
    id: turn.id,
    turn: turnRow(turn, productVersion),
    calls: turn.calls.map((call) => JSON.stringify(callRow(turn, call, at))).join(','),
  };
}

type StoredValue = (turn: TurnRecord, productVersion: string) => unknown;

/** The values that are stored in another form than in the record. */
const restated: { readonly [Name in StoredColumnName]?: StoredValue } & Record<
  Exclude<StoredColumnName, keyof TurnRecord>,
  StoredValue
> = {
  at: ({ id }) => turnTime(id).toISOString(),
  productVersion: (_, productVersion) => productVersion,
  calls: ({ calls }) => calls.length,
  addedUs: ({ addedUs }) => (addedUs === null ? null : Math.min(Math.round(addedUs), 2 ** 31 - 1)),
  stored: ({ body }) => body !== null,
};

const fields = storedColumns.map((name) => ({
  key: `"${columnOf(name)}":`,
  read: restated[name] ?? ((turn: TurnRecord) => turn[name as keyof TurnRecord]),
  longest: columnNamed(name).longest,
}));

/**
 * The row of the table `turn`, written field by field: every request pays for it, and a copy of the record costs more.
 * Joined, not concatenated: a concatenation is a rope of a hundred short strings, which the garbage collector copies
 * while it is queued.
 */
function turnRow(turn: TurnRecord, productVersion: string): string {
  const members = fields.map(({ key, read, longest }) => key + storedJson(read(turn, productVersion), longest));
  return `{${members.join(',')}}`;
}

function storedJson(value: unknown, longest: number | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return JSON.stringify(longest !== undefined && typeof value === 'string' ? recordedUpTo(value, longest) : value);
}

/** The row of a turn's bodies. */
export function bodyRow(id: string, body: TurnBodyRecord): string {
  const kept = recordedBody(body);
  const { clientRequest, upstreamRequest, raw, delivered, tries, rounds, timeline, notes, settings } = kept;
  return JSON.stringify({
    turn_id: id,
    at: turnTime(id).toISOString(),
    client_request: clientRequest,
    upstream_request: upstreamRequest,
    raw,
    delivered: delivered ?? null,
    tries: tries ?? null,
    rounds: rounds ?? null,
    timeline: timeline ?? null,
    notes,
    settings: settings ?? {},
    words: textVector(searchText(kept)),
    argument_paths: argumentPaths(kept),
  });
}

const callRow = (turn: TurnRecord, call: CallRecord, at: string): object => ({
  turn_id: turn.id,
  at,
  n: call.n,
  tool: recordedUpTo(call.tool, 200),
  outcome: call.outcome,
  classes: call.classes,
  rules: call.rules,
  action: call.action,
  bytes: call.bytes,
  shape: call.shape,
});

// One statement, so that a batch is stored completely or not at all; existing rows are skipped, so that a batch may be
// sent again. Marks tell the roll-up which buckets need an update; their lock delays it until the commit. Buckets are
// closed after 24 hours (D-28).
const INSERT = `
WITH turns AS (
  INSERT INTO turn SELECT * FROM json_populate_recordset(NULL::turn, $1) ON CONFLICT DO NOTHING
), calls AS (
  INSERT INTO call SELECT * FROM json_populate_recordset(NULL::call, $2) ON CONFLICT DO NOTHING
), bodies AS (
  INSERT INTO turn_body SELECT * FROM json_populate_recordset(NULL::turn_body, $3) ON CONFLICT DO NOTHING
)
INSERT INTO rollup_mark (grain, bucket)
SELECT DISTINCT grain, date_trunc(grain, at)
FROM json_populate_recordset(NULL::turn, $1), unnest(ARRAY['hour', 'minute']) AS grain
WHERE at > now() - interval '24 hours'
ORDER BY 1, 2
ON CONFLICT (grain, bucket) DO UPDATE SET marked_at = now()`;

/** Writes rows of turns, all or none. Throws Postgres's error. */
export async function insertRows(pool: Pool, rows: readonly TurnRows[]): Promise<void> {
  await pool.query({
    name: 'record',
    text: INSERT,
    values: [
      `[${rows.map(({ turn }) => turn).join(',')}]`,
      `[${rows.flatMap(({ calls }) => (calls === '' ? [] : [calls])).join(',')}]`,
      `[${rows.flatMap(({ body }) => (body === undefined ? [] : [body])).join(',')}]`,
    ],
  });
}
