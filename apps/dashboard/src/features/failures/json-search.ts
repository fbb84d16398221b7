/** A place in one of the sections of a text. */
export interface Match {
  readonly section: number;
  readonly from: number;
  readonly to: number;
}

/** The matches of a search, from the top; `more`: there are others, which are not counted. */
export interface Matches {
  readonly found: readonly Match[];
  readonly more: boolean;
}

/** The search stops at this many matches: nobody steps through more. */
const MOST = 10_000;

/**
 * Finds words in keys and values of pretty-printed JSON, in sections that each end with a line. Upper and lower case
 * are the same. What is escaped in JSON is found as it is shown and as it is meant: `say \"hi\"` by `say "hi"` too.
 */
export function findMatches(sections: readonly string[], query: string): Matches {
  if (query.trim() === '') return { found: [], more: false };
  const forms = new Set([query, JSON.stringify(query).slice(1, -1)]);
  const pattern = new RegExp([...forms].map(escapePattern).join('|'), 'giu');
  const found: Match[] = [];
  for (const [section, text] of sections.entries())
    for (const { 0: word, index } of text.matchAll(pattern)) {
      if (found.length === MOST) return { found, more: true };
      found.push({ section, from: index, to: index + word.length });
    }
  return { found, more: false };
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** How many characters of a line are read out on either side of a match. */
const AROUND = 60;

/** The match with what is beside it in its line. */
export function excerptOf(text: string, { from, to }: Match): string {
  const before =
    text
      .slice(Math.max(0, from - AROUND), from)
      .split('\n')
      .at(-1) ?? '';
  const [after = ''] = text.slice(to, to + AROUND).split('\n');
  return (before + text.slice(from, to) + after).trim();
}
