/** A cell of a table; null and undefined are empty. */
type Cell = string | number | boolean | null | undefined;

/** Rows below their titles, in columns as wide as their longest cell. Says so if there are no rows. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return 'None.\n';
  const cells = [titles, ...rows].map((row) => row.map((cell) => (cell == null ? '' : String(cell))));
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return `${cells.map((row) => line(row).trimEnd()).join('\n')}\n`;
}
