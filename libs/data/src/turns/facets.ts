import {
  type CallFacetName,
  type ColumnFacetName,
  type FacetName,
  type FilteredColumnName,
  filteredColumns,
} from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { columnOf } from '../record/column-of.ts';
import { type ColumnFilter, type TurnFilter, textOf, whereOfBodies, whereOfCalls, whereOfValues } from './filter.ts';
import { newest } from './list.ts';
import { rowsOfFound, type SearchBounds, searchBodies } from './search-bodies.ts';

const { sql, join, raw } = Prisma;

/** One value of a facet, and how many turns have it. */
export interface FacetValue {
  /** An id of a model, a team or a key, else the value itself; of an unknown model, the requested name. */
  readonly value: string;
  /** The name for the id; null: it no longer has one, or the value is no id. */
  readonly name: string | null;
  readonly count: number;
}

/** The number of a filter's turns with each value. */
export interface FacetCounts {
  /** Matching turns, of those that were examined. */
  readonly total: number;
  /** Only this many, the newest, were examined, and there are older ones; null: all were. */
  readonly newest: number | null;
  readonly facets: readonly {
    readonly name: FacetName;
    /** The most frequent first. */
    readonly values: readonly FacetValue[];
    /** How many more values there are. */
    readonly more: number;
  }[];
}

/** Maximum number of turns that are examined for each count, the newest. */
const MOST_TURNS = 50_000;
/** The maximum for all counts: each selected facet is counted by itself. */
const MOST_IN_ALL = 75_000;
/** The maximum for each if they are found through their calls or bodies, with one lookup each. */
const MOST_BY_LOOK_UP = 10_000;
const MOST_VALUES = 50;

interface Facet {
  /** Column of `turn` or of its calls, or the elements of one. */
  readonly value: Prisma.Sql;
  /** A value of calls: turns are counted by those calls that match the filter. */
  readonly ofCalls?: true;
  /** Its part of a filter. */
  readonly chosen: (filter: TurnFilter) => string | undefined;
  /** Removes that part from a filter. */
  readonly lifted: { readonly [Name in Exclude<keyof TurnFilter, 'from' | 'to'>]?: undefined };
}

const CALL_FACETS: Readonly<Record<CallFacetName, Facet>> = {
  tool: { value: raw('call.tool'), ofCalls: true, chosen: (filter) => filter.tool, lifted: { tool: undefined } },
  rule: {
    value: raw('unnest(call.rules)'),
    ofCalls: true,
    chosen: (filter) => filter.rule,
    lifted: { rule: undefined },
  },
};

const FACETS: Readonly<Record<FacetName, Facet>> = {
  ...columnFacets(),
  ...CALL_FACETS,
  outcome: {
    value: raw(`unnest(ARRAY[turn.outcome, CASE WHEN turn.error_code IS NOT NULL THEN 'error' END])`),
    chosen: (filter) => filter.outcome,
    lifted: { outcome: undefined },
  },
  class: { value: raw('unnest(turn.classes)'), chosen: (filter) => filter.class, lifted: { class: undefined } },
  model: {
    value: raw('coalesce(turn.model_id, turn.model)'),
    chosen: (filter) => filter.modelId ?? filter.model,
    lifted: { modelId: undefined, model: undefined },
  },
};

/** The facets that count the values of one column. */
function columnFacets() {
  const facets = filteredColumns.flatMap(({ name, facet }): [ColumnFacetName, Facet][] =>
    facet === undefined ? [] : [[facet, columnFacet(name)]],
  );
  return Object.fromEntries(facets) as Record<ColumnFacetName, Facet>;
}

function columnFacet(name: FilteredColumnName): Facet {
  return {
    value: raw(`turn.${textOf(name)}`),
    chosen: (filter) => filter[name],
    lifted: { [name]: undefined },
  };
}

/**
 * Counts turns by the values of each requested facet: with the filter except for that facet's own selection. Only the
 * newest turns that an index finds are counted, so that the time is bounded. A facet whose filter must always apply,
 * like the team's for users of one team, is not requested.
 */
export async function facetsOf(
  prisma: PrismaService,
  filter: TurnFilter,
  names: readonly FacetName[],
  allowed?: number,
  bounds?: SearchBounds,
): Promise<FacetCounts> {
  const chosen = names.filter((name) => FACETS[name].chosen(filter) !== undefined);
  const most = allowed ?? mostFor(filter, chosen.length + 1);
  // No facet is about bodies, so that all counts are among the same ones.
  const bodies = await searchBodies(prisma, filter, undefined, bounds);
  const among = bodies && rowsOfFound(bodies);
  // Values that are not selected are counted together.
  const looksAt = (those: readonly FacetName[]): Look[] => [
    { of: filter, names: those.filter((name) => !chosen.includes(name)) },
    ...those
      .filter((name) => chosen.includes(name))
      .map((name) => ({ of: { ...filter, ...FACETS[name].lifted }, names: [name] })),
  ];
  const ofTurns = looksAt(names.filter((name) => !FACETS[name].ofCalls));
  const ofCalls = looksAt(names.filter((name) => FACETS[name].ofCalls)).filter(({ names }) => names.length > 0);
  const countTurns = ({ of, names }: Look) =>
    rowsOf(
      prisma,
      lookAt(of, most, among),
      names.map((name) => countBy(of, name)),
      sumsOf(of),
    );
  const countCalls = ({ of, names }: Look) =>
    rowsOf(
      prisma,
      lookAtCalls(of, most, among),
      names.map((name) => countByCalls(filter, name)),
    );
  // Two connections at most: a process has few.
  const rows = await Promise.all([inOrder(ofTurns, countTurns), inOrder(ofCalls, countCalls)]);
  const counts = countsOf(rows.flat(), filter, names, most);
  return bodies && bodies.next !== null ? { ...counts, newest: bodies.withWords } : counts;
}

/** The turns of a filter that are examined, and the facets that are counted among them. */
interface Look {
  readonly of: TurnFilter;
  readonly names: readonly FacetName[];
}

async function inOrder(looks: readonly Look[], count: (look: Look) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const look of looks) rows.push(...(await count(look)));
  return rows;
}

/** How many turns were examined, and how many of them match. */
const sumsOf = (filter: TurnFilter): Prisma.Sql => sql`
  UNION ALL SELECT 'seen', NULL, sum(count)::float8, NULL, NULL FROM look
  UNION ALL SELECT 'total', NULL, coalesce(sum(turn.count), 0)::float8, NULL, NULL FROM look AS turn WHERE ${fits(filter)}`;

/** The most frequent values of each of `counts` among the rows of `look`, with `sums`. */
const rowsOf = (
  prisma: PrismaService,
  look: Prisma.Sql,
  counts: readonly Prisma.Sql[],
  sums = Prisma.empty,
): Promise<Row[]> =>
  prisma.$queryRaw<Row[]>`
    WITH look AS MATERIALIZED (${look}),
    counted AS (${counts.length > 0 ? join(counts, ' UNION ALL ') : NOTHING_COUNTED}),
    ranked AS (
      SELECT facet, value, count, row_number() OVER (PARTITION BY facet ORDER BY count DESC, value) AS rank,
        count(*) OVER (PARTITION BY facet) AS of FROM counted
    )
    SELECT facet, value, count::float8 AS count, of::float8 AS of, coalesce(model.name, team.name, api_key.holder) AS name
    FROM ranked LEFT JOIN model ON facet = 'model' AND model.id = value
      LEFT JOIN team ON facet = 'team' AND team.id = value LEFT JOIN api_key ON facet = 'key' AND api_key.id = value
    WHERE rank <= ${MOST_VALUES} ${sums}`;

const NOTHING_COUNTED = sql`SELECT NULL::text AS facet, NULL::text AS value, 0::bigint AS count WHERE false`;

/** How many turns may be examined for each of so many counts, in whole thousands. */
function mostFor(filter: TurnFilter, counts: number): number {
  const most = whereOfCalls(filter) || whereOfBodies(filter) ? MOST_BY_LOOK_UP : MOST_TURNS;
  return Math.min(most, Math.floor(MOST_IN_ALL / counts / 1000) * 1000);
}

interface Row {
  readonly facet: FacetName | 'total' | 'seen';
  readonly value: string | null;
  readonly count: number | null;
  /** How many values the facet has. */
  readonly of: number | null;
  readonly name: string | null;
}

// The columns that facets and filters use.
const LOOKED_AT = raw(
  [
    ...new Set([
      'model_id',
      'model',
      'outcome',
      'classes',
      'error_code',
      ...filteredColumns.flatMap(({ name, facet }) => (facet === undefined ? [] : columnOf(name))),
    ]),
  ].join(', '),
);

/** The newest turns found by the indexes, or `among` some bodies, with equal ones counted together. */
function lookAt(filter: TurnFilter, most: number, among: Prisma.Sql | undefined): Prisma.Sql {
  return sql`
    SELECT ${LOOKED_AT}, count(*) AS count
    FROM (${newest(indexed(filter), undefined, among)} LIMIT ${most}) AS newest GROUP BY ${LOOKED_AT}`;
}

/** The part of a filter that an index can find. */
function indexed(filter: TurnFilter): TurnFilter {
  const { from, to, modelId, teamId, keyId, tool, shape, rule, group, text, argument } = filter;
  const failures = filter.failures || ['failed', 'invalid', 'repaired', 'error'].includes(filter.outcome ?? '');
  return {
    from,
    to,
    modelId,
    teamId,
    keyId,
    tool,
    shape,
    rule,
    group,
    text,
    argument,
    failures,
    ...valuesOf(filter, unlisted),
  };
}

/**
 * The calls of the newest turns that match a filter; of them only matching ones, as in the list. Each is looked up by
 * its turn: OFFSET 0 keeps the planner from reading whole days.
 */
function lookAtCalls(filter: TurnFilter, most: number, among: Prisma.Sql | undefined): Prisma.Sql {
  const ofCalls = whereOfCalls(filter);
  return sql`
    SELECT call.* FROM (${newest(indexed(filter), undefined, among)} LIMIT ${most}) AS turn, LATERAL (
      SELECT turn_id, tool, rules, outcome FROM call
      WHERE call.turn_id = turn.id AND call.at = turn.at ${ofCalls ? sql`AND ${ofCalls}` : Prisma.empty} OFFSET 0
    ) AS call WHERE ${fits(filter)}`;
}

/**
 * Turns by a value of their calls. A tool is listed with its failures only if those are requested, see `whereOfCalls`.
 */
const countByCalls = (filter: TurnFilter, name: FacetName): Prisma.Sql => sql`
  SELECT facet, value, count(DISTINCT turn_id) AS count FROM (
    SELECT ${name}::text AS facet, ${FACETS[name].value} AS value, call.turn_id FROM look AS call
    WHERE ${name === 'tool' && filter.failures ? sql`call.outcome <> 'clean'` : sql`TRUE`}
  ) AS valued GROUP BY 1, 2`;

const countBy = (filter: TurnFilter, name: FacetName): Prisma.Sql => sql`
  SELECT facet, value, sum(count) AS count FROM (
    SELECT ${name}::text AS facet, ${FACETS[name].value} AS value, turn.count FROM look AS turn WHERE ${fits(filter)}
  ) AS valued WHERE value IS NOT NULL GROUP BY 1, 2`;

/** The part of a filter that is applied to the examined turns; columns without a facet are not available there. */
const fits = (filter: TurnFilter): Prisma.Sql =>
  join([raw('true'), ...whereOfValues({ ...filter, ...valuesOf({}, unlisted) })], ' AND ');

/** Columns that can be filtered and are not counted, because hardly two requests share a value. Each has an index. */
const unlisted = filteredColumns.flatMap(({ name, facet }) => (facet === undefined ? name : []));

const valuesOf = (filter: ColumnFilter, names: readonly FilteredColumnName[]): ColumnFilter =>
  Object.fromEntries(names.map((name) => [name, filter[name]]));

function countsOf(rows: readonly Row[], filter: TurnFilter, names: readonly FacetName[], most: number): FacetCounts {
  const found = (facet: Row['facet']) => rows.filter((row) => row.facet === facet);
  // The first look is at the whole filter.
  const total = found('total')[0]?.count ?? 0;
  return {
    total,
    newest: found('seen').some(({ count }) => count === most) ? most : null,
    facets: names.map((name) => {
      const values = found(name).map(({ value, name, count }) => ({ value: value ?? '', name, count: count ?? 0 }));
      const more = Math.max(0, (found(name)[0]?.of ?? 0) - values.length);
      return { name, values: withChosen(values, FACETS[name].chosen(filter), total).sort(byCount), more };
    }),
  };
}

/** A selected value is listed even if it is not among the newest turns; all matching turns have it. */
function withChosen(values: readonly FacetValue[], chosen: string | undefined, total: number): FacetValue[] {
  if (chosen === undefined) return [...values];
  const { name = null, count = 0 } = values.find(({ value }) => value === chosen) ?? {};
  const others = values.filter(({ value }) => value !== chosen);
  return [...others, { value: chosen, name, count: Math.max(count, total) }];
}

const byCount = (a: FacetValue, b: FacetValue): number => b.count - a.count || (a.value < b.value ? -1 : 1);
