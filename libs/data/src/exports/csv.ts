/**
 * One row of CSV (RFC 4180), with its line ending. Formulas are escaped, because spreadsheets execute them (security
 * 18).
 */
export const csvRow = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = defused(value instanceof Date ? value.toISOString() : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Spreadsheets skip a tab or line ending before the sign; some treat full-width signs alike.
const defused = (text: string): string => (/^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text);
