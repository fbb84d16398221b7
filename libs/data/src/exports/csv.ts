/** One row of CSV (RFC 4180), with its line end. Formulas are defused, because spreadsheets run them (security 18). */
export const csvRow = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = defused(value instanceof Date ? value.toISOString() : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// A tab or line end before the sign is skipped by spreadsheets; some take wide signs for the same.
const defused = (text: string): string => (/^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text);
