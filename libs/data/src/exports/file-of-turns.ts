import { csvColumns, type ExportFormat, type TurnRow } from '@callsmith/contracts';
import { csvRow } from './csv.ts';

/** The text of a file of turns, chunk by chunk; `json`: one array. */
export async function* fileOfTurns(
  pages: AsyncIterable<readonly TurnRow[]>,
  format: ExportFormat,
): AsyncGenerator<string> {
  yield format === 'csv' ? csvRow(csvColumns) : '[';
  let first = true;
  for await (const page of pages) {
    yield format === 'csv' ? page.map(csvOf).join('') : page.map((row) => separated(row)).join('');
  }
  if (format === 'json') yield '\n]\n';

  function separated(row: TurnRow): string {
    const text = `${first ? '' : ','}\n${JSON.stringify(row)}`;
    first = false;
    return text;
  }
}

const csvOf = (row: TurnRow): string =>
  csvRow(csvColumns.map((name) => (name === 'classes' ? row.classes.join(' ') : row[name])));
