/** Rows of comma-separated values by the names in their first line: RFC 4180, with quoted line breaks. */
export function csvRows(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...values] = rows.filter((row) => row.length > 1);
  return values.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])));
}
