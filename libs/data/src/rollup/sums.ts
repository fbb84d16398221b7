import { Prisma } from '../generated/prisma/client.ts';
import { HISTOGRAM_BUCKETS } from './histogram.ts';

const { sql, raw, join } = Prisma;

/** The grains of roll-ups, the coarsest first; a quarter is one of an hour, a shift one of a day. */
export const grains = ['day', 'shift', 'hour', 'quarter', 'minute'] as const;
export type Grain = (typeof grains)[number];

/** A grain's bucket length, in milliseconds. */
export const BUCKET_MS: Readonly<Record<Grain, number>> = {
  minute: 60_000,
  quarter: 900_000,
  hour: 3_600_000,
  shift: 21_600_000,
  day: 86_400_000,
};

/** The start of the bucket that contains an instant. */
export const bucketOf = (at: Date, grain: Grain): Date =>
  new Date(Math.floor(at.getTime() / BUCKET_MS[grain]) * BUCKET_MS[grain]);

const places = Array.from({ length: HISTOGRAM_BUCKETS }, (_, at) => at + 1);
const counted = (place: string) =>
  `ARRAY[${places.map((p) => `count(*) FILTER (WHERE ${place} = ${p})::int`).join(', ')}]`;
const added = (column: string) => `ARRAY[${places.map((p) => `coalesce(sum(${column}[${p}]), 0)::int`).join(', ')}]`;

/** The columns that identify a series of turns, in the table's order. */
export const SERIES_COLUMNS = raw('team_id, key_id, model_id, upstream_id, strategy_used, dialect, client');

/** The sums of a series of turns, in the order of the table. */
export const SUM_COLUMNS = raw(
  'turns, clean, repaired, invalid, failed, "none", errors, input_tokens, output_tokens, cached_tokens, injected_tokens, spend, added, first_token',
);

/** Sums of sums: roll-ups of a finer grain combined. */
export const SUMS_OF_ROLLUPS = raw(`
  sum(turns)::int AS turns, sum(clean)::int AS clean, sum(repaired)::int AS repaired,
  sum(invalid)::int AS invalid, sum(failed)::int AS failed, sum("none")::int AS "none", sum(errors)::int AS errors,
  sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
  sum(cached_tokens)::bigint AS cached_tokens, sum(injected_tokens)::bigint AS injected_tokens,
  sum(spend)::bigint AS spend, ${added('added')} AS added, ${added('first_token')} AS first_token`);

/** Recorded turns, summed by minute and series; `where` is about the table `turn`. */
export const minutesOfTurns = (where: Prisma.Sql): Prisma.Sql => sql`
  SELECT bucket, ${SERIES_COLUMNS}, ${raw(`
    count(*)::int AS turns,
    count(*) FILTER (WHERE outcome = 'clean')::int AS clean,
    count(*) FILTER (WHERE outcome = 'repaired')::int AS repaired,
    count(*) FILTER (WHERE outcome = 'invalid')::int AS invalid,
    count(*) FILTER (WHERE outcome = 'failed')::int AS failed,
    count(*) FILTER (WHERE outcome = 'none')::int AS "none",
    count(*) FILTER (WHERE error_code IS NOT NULL)::int AS errors,
    coalesce(sum(input_tokens), 0)::bigint AS input_tokens, coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
    coalesce(sum(cached_tokens), 0)::bigint AS cached_tokens,
    coalesce(sum(injected_tokens), 0)::bigint AS injected_tokens, coalesce(sum(spend), 0)::bigint AS spend,
    ${counted('added_at')} AS added, ${counted('first_at')} AS first_token`)}
  FROM (
    SELECT date_trunc('minute', at) AS bucket, coalesce(team_id, '') AS team_id, coalesce(key_id, '') AS key_id,
      coalesce(model_id, '') AS model_id, coalesce(upstream_id, '') AS upstream_id,
      coalesce(strategy_used, '') AS strategy_used, coalesce(dialect, '') AS dialect, client, outcome, error_code,
      input_tokens, output_tokens, cached_tokens, injected_tokens, spend,
      added_place(added_us) AS added_at, first_token_place(first_token_ms) AS first_at
    FROM turn WHERE ${where} OFFSET 0
  ) AS rows
  GROUP BY bucket, ${SERIES_COLUMNS}`;

/** Recorded findings of turns, counted by minute: classes without a rule, rules without a class. */
export const minutesOfFindings = (within: TimeCondition, where: Prisma.Sql = sql`TRUE`): Prisma.Sql => sql`
  SELECT bucket, team_id, model_id, upstream_id, strategy_used, class, rule, count(*)::int AS count
  FROM (
    SELECT ${FINDING_SERIES}, class, '' AS rule
    FROM turn, unnest(classes) AS class WHERE ${within.turn} AND ${where}
    UNION ALL
    SELECT ${FINDING_SERIES}, '' AS class, rule
    FROM turn JOIN call ON call.turn_id = turn.id AND call.at = turn.at, unnest(call.rules) AS rule
    WHERE ${within.turn} AND ${within.call} AND ${where} AND cardinality(call.rules) > 0
  ) AS found
  GROUP BY bucket, team_id, model_id, upstream_id, strategy_used, class, rule`;

const FINDING_SERIES = raw(`date_trunc('minute', turn.at) AS bucket, coalesce(turn.team_id, '') AS team_id,
      coalesce(turn.model_id, '') AS model_id, coalesce(turn.upstream_id, '') AS upstream_id,
      coalesce(turn.strategy_used, '') AS strategy_used`);

/** Recorded calls, counted by hour and tool; the 200 most used tools of an hour, the rest as `other`. */
export const hoursOfCalls = (within: TimeCondition, where: Prisma.Sql = sql`TRUE`): Prisma.Sql => sql`
  WITH counted AS (
    SELECT date_trunc('hour', turn.at) AS bucket, coalesce(turn.team_id, '') AS team_id,
      coalesce(turn.model_id, '') AS model_id, coalesce(turn.upstream_id, '') AS upstream_id,
      coalesce(turn.strategy_used, '') AS strategy_used, call.tool,
      count(*) FILTER (WHERE call.outcome = 'clean') AS clean,
      count(*) FILTER (WHERE call.outcome = 'repaired') AS repaired,
      count(*) FILTER (WHERE call.outcome = 'invalid') AS invalid,
      count(*) FILTER (WHERE call.outcome = 'failed') AS failed
    FROM turn JOIN call ON call.turn_id = turn.id AND call.at = turn.at
    WHERE ${within.turn} AND ${within.call} AND ${where}
    GROUP BY 1, 2, 3, 4, 5, 6
  ), totalled AS (
    SELECT *, sum(clean + repaired + invalid + failed) OVER (PARTITION BY bucket, tool) AS total FROM counted
  ), ranked AS (
    SELECT *, dense_rank() OVER (PARTITION BY bucket ORDER BY total DESC, tool) AS place FROM totalled
  )
  SELECT bucket, team_id, model_id, upstream_id, strategy_used,
    CASE WHEN place <= 200 THEN tool ELSE 'other' END AS tool,
    sum(clean)::int AS clean, sum(repaired)::int AS repaired, sum(invalid)::int AS invalid,
    sum(failed)::int AS failed
  FROM ranked
  GROUP BY 1, 2, 3, 4, 5, 6`;

/** The same condition on the instant of turns and on that of calls: each selects its own partitions. */
export interface TimeCondition {
  readonly turn: Prisma.Sql;
  readonly call: Prisma.Sql;
}

/** True for rows in one of some buckets, and before `end`. `buckets` must not be empty. */
export function inBuckets(buckets: readonly Date[], sizeMs: number, end?: Date): TimeCondition {
  const spans = runs(buckets, sizeMs);
  const [first, last] = [spans[0]?.[0], spans.at(-1)?.[1]];
  const until = end && last && end < last ? end : last;
  const condition = (at: Prisma.Sql) => {
    const each = spans.map(([from, to]) => sql`(${at} >= ${from} AND ${at} < ${to})`);
    // Only the outer bounds let the planner select the partitions.
    return sql`${at} >= ${first} AND ${at} < ${until} AND (${join(each, ' OR ')})`;
  };
  return { turn: condition(raw('turn.at')), call: condition(raw('call.at')) };
}

/** Merges adjacent buckets into ranges. */
function runs(buckets: readonly Date[], sizeMs: number): [Date, Date][] {
  const result: [Date, Date][] = [];
  for (const bucket of [...buckets].sort((a, b) => a.getTime() - b.getTime())) {
    const end = new Date(bucket.getTime() + sizeMs);
    const last = result.at(-1);
    if (last && last[1].getTime() === bucket.getTime()) last[1] = end;
    else result.push([bucket, end]);
  }
  return result;
}
