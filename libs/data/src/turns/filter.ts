import { type FilteredColumnName, filteredColumns } from '@callsmith/contracts';
import { Prisma } from '../generated/prisma/client.ts';
import { columnOf } from '../record/column-of.ts';

const { sql, join } = Prisma;

/** Turns with one value of a column each. Security 29: `teamId` is given wherever the caller may see one team only. */
export type ColumnFilter = { readonly [Name in FilteredColumnName]?: string | undefined };

/** Which turns are listed. */
export interface TurnFilter extends ColumnFilter {
  readonly from: Date;
  readonly to: Date;
  readonly modelId?: string | undefined;
  /** The name that was asked for. */
  readonly model?: string | undefined;
  /** An outcome, or `error`: those that ended in one, whatever their outcome. */
  readonly outcome?: string | undefined;
  readonly class?: string | undefined;
  readonly tool?: string | undefined;
  readonly shape?: string | undefined;
  /** Only turns that are not clean: failed, repaired, or ended by an error. */
  readonly failures?: boolean | undefined;
}

/** The condition of the indexes of failures, word for word. */
export const NOT_CLEAN = Prisma.raw(`(turn.outcome IN ('failed', 'repaired') OR turn.error_code IS NOT NULL)`);

/** What a filter says of turns, as a condition on the table `turn`. */
export const whereOfTurns = (filter: TurnFilter): Prisma.Sql =>
  join(
    [
      sql`turn.at >= ${filter.from} AND turn.at < ${filter.to}`,
      ...whereOfValues(filter),
      ...(filter.failures ? [NOT_CLEAN] : []),
    ],
    ' AND ',
  );

/** What a filter says of the values of turns, as conditions on columns of `turn`; none where it says nothing. */
export function whereOfValues(filter: Omit<TurnFilter, 'from' | 'to'>): Prisma.Sql[] {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql`${Prisma.raw(`turn.${column}`)} = ${value}`];
  return [
    ...equal('model_id', filter.modelId),
    ...equal('model', filter.model),
    ...(filter.outcome === 'error' ? [sql`turn.error_code IS NOT NULL`] : equal('outcome', filter.outcome)),
    ...filteredColumns.flatMap(({ name }) => equal(columnOf(name), filter[name])),
    ...(filter.class === undefined ? [] : [sql`${filter.class} = ANY (turn.classes)`]),
  ];
}

/** What a filter says of a turn's calls, as a condition on the table `call`; undefined: nothing. */
export function whereOfCalls({ tool, shape, failures }: TurnFilter): Prisma.Sql | undefined {
  const conditions = [
    ...(tool === undefined ? [] : [sql`call.tool = ${tool}`]),
    ...(shape === undefined ? [] : [sql`call.shape = ${shape}`]),
    // The failure that is looked for is the tool's own, not that of a call beside it.
    ...(tool !== undefined && failures ? [sql`call.outcome <> 'clean'`] : []),
  ];
  return conditions.length === 0 ? undefined : join(conditions, ' AND ');
}
