import { type FilteredColumnName, filteredColumns } from '@callsmith/contracts';
import { Prisma } from '../generated/prisma/client.ts';
import { turnTime } from '../ids.ts';
import { columnOf } from '../record/column-of.ts';
import { textQuery, wordsQuery } from '../record/search-words.ts';

const { sql, join, raw } = Prisma;

/**
 * Turns filtered by one value for each column. Security 29: `teamId` is set whenever the caller may see only one team.
 */
export type ColumnFilter = { readonly [Name in FilteredColumnName]?: string | undefined };

/** The filter of a list of turns. */
export interface TurnFilter extends ColumnFilter {
  readonly from: Date;
  readonly to: Date;
  readonly modelId?: string | undefined;
  /** The requested name. */
  readonly model?: string | undefined;
  /** An outcome, or `error`: those that ended in one, whatever their outcome. */
  readonly outcome?: string | undefined;
  readonly class?: string | undefined;
  readonly tool?: string | undefined;
  readonly shape?: string | undefined;
  /** A rule that repaired one of its calls. */
  readonly rule?: string | undefined;
  /** Words of the user, of the response and of its calls, in requests with stored bodies. */
  readonly text?: string | undefined;
  /** The path of an argument of one of its calls, in requests with stored bodies. */
  readonly argument?: string | undefined;
  /** Only the failures of one group. */
  readonly group?: FailureGroup | undefined;
  /** Only turns that are not clean: failed, invalid, repaired, or ended by an error. */
  readonly failures?: boolean | undefined;
}

/** What the failures of a group have in common. */
export interface FailureGroup {
  /** The requested name. */
  readonly model: string;
  readonly modelId: string | null;
  readonly strategyUsed: string | null;
  readonly class: string | null;
  /** Null: there was no call, or none that was not clean. */
  readonly tool: string | null;
  readonly shape: string | null;
  /** Of requests that failed before any call. */
  readonly errorCode: string | null;
}

/** The condition of the failure indexes, word for word. */
export const NOT_CLEAN_CONDITION = raw(
  `(turn.outcome IN ('failed', 'invalid', 'repaired') OR turn.error_code IS NOT NULL)`,
);

/** A filter as a condition on the table `turn`. */
export const whereOfTurns = (filter: TurnFilter): Prisma.Sql =>
  join(
    [
      sql`turn.at >= ${filter.from} AND turn.at < ${filter.to}`,
      ...whereOfValues(filter),
      ...(filter.failures || filter.group ? [NOT_CLEAN_CONDITION] : []),
      ...(filter.group ? whereOfGroup(filter.group) : []),
    ],
    ' AND ',
  );

/** A filter's values as conditions on columns of `turn`. */
export function whereOfValues(filter: Omit<TurnFilter, 'from' | 'to'>): Prisma.Sql[] {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql`${raw(`turn.${column}`)} = ${value}`];
  return [
    ...equal('model_id', filter.modelId),
    ...equal('model', filter.model),
    ...(filter.outcome === 'error' ? [sql`turn.error_code IS NOT NULL`] : equal('outcome', filter.outcome)),
    ...filteredColumns.flatMap(({ name }) => equal(textOf(name), filter[name])),
    ...(filter.class === undefined ? [] : holding('turn.classes', filter.class)),
  ];
}

/**
 * A further condition: the row is older than the turn of the UUID `before`; none if that is undefined. `at`, `id`: the
 * row's columns. From a comparison of rows alone Postgres does not see which days it need not read.
 */
export const andOlder = (at: string, id: string, before: string | undefined): Prisma.Sql =>
  before === undefined
    ? Prisma.empty
    : sql`AND ${raw(at)} <= ${turnTime(before)} AND (${raw(at)}, ${raw(id)}) < (${turnTime(before)}, ${before}::uuid)`;

/** The condition that a list holds a value, preceded by that of the list's index. */
const holding = (column: string, value: string): Prisma.Sql[] => [
  sql`cardinality(${raw(column)}) > 0`,
  sql`${raw(column)} @> ARRAY[${value}]`,
];

/** A filter's part about calls, as a condition on the table `call`; undefined: none. */
export function whereOfCalls(filter: TurnFilter): Prisma.Sql | undefined {
  const { tool, shape, rule, group } = filter;
  const conditions = [
    ...(tool === undefined ? [] : [sql`call.tool = ${tool}`]),
    ...(shape === undefined ? [] : [sql`call.shape = ${shape}`]),
    ...(rule === undefined ? [] : holding('call.rules', rule)),
    ...(group && group.tool !== null ? [isOf('call.tool', group.tool), isOf('call.shape', group.shape)] : []),
    ...(group && group.tool !== null ? [isOf('call.classes[1]', group.class)] : []),
  ];
  if (conditions.length === 0) return undefined;
  // The failure must be of the tool's own call, not of a call beside it.
  const failing = (tool !== undefined && filter.failures) || group !== undefined;
  return join([...conditions, ...(failing ? [sql`call.outcome <> 'clean'`] : [])], ' AND ');
}

/** A filter's part about message content, as conditions on the table `turn_body`. */
export interface BodyConditions {
  /** What the indexes tell of it. */
  readonly indexed: Prisma.Sql;
  /** All of it, if that is more: which words are adjacent is known only by reading a body. */
  readonly exact: Prisma.Sql | undefined;
}

/** Undefined: the filter has no part about message content. */
export function whereOfBodies({ text, argument }: TurnFilter): BodyConditions | undefined {
  if (text === undefined && argument === undefined) return undefined;
  const conditions = (query: string | undefined) =>
    join(
      [
        ...(text === undefined ? [] : [sql`turn_body.words @@ ${query ?? ''}::tsquery`]),
        ...(argument === undefined ? [] : [sql`turn_body.argument_paths @> ARRAY[${argument}]`]),
      ],
      ' AND ',
    );
  const [words, exact] = [wordsQuery(text ?? ''), textQuery(text ?? '')];
  return { indexed: conditions(words), exact: exact === words ? undefined : conditions(exact) };
}

/** True if a search text contains a word. */
export const hasWords = (text: string): boolean => textQuery(text) !== undefined;

/** A filtered column of `turn`, as text: numbers too. */
export const textOf = (name: FilteredColumnName): string => `${columnOf(name)}::text`;

/** The common properties of a group's failures, as conditions on `turn`; those of their calls are in `whereOfCalls`. */
export function whereOfGroup(group: FailureGroup): Prisma.Sql[] {
  const common = [
    isOf('turn.model', group.model),
    isOf('turn.model_id', group.modelId),
    isOf('turn.strategy_used', group.strategyUsed),
  ];
  if (group.tool !== null) return common;
  return [
    ...common,
    isOf('turn.classes[1]', group.class),
    isOf('turn.error_code', group.errorCode),
    // OFFSET 0 keeps the planner from reading the failed calls of all days.
    raw(
      `NOT EXISTS (
        SELECT 1 FROM call WHERE call.turn_id = turn.id AND call.at = turn.at AND call.outcome <> 'clean' OFFSET 0
      )`,
    ),
  ];
}

const isOf = (column: string, value: string | null): Prisma.Sql =>
  value === null ? raw(`${column} IS NULL`) : sql`${raw(column)} = ${value}`;
