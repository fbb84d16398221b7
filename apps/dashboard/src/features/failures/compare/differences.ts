import { canonicalize, diffLines, diffWordsWithSpace } from 'diff';

/** A part of a line; `changed`: it is not in the line that the other text has there. */
export interface DiffPiece {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly pieces: readonly DiffPiece[];
}

/** A line, or lines that are the same in both and far from any difference. */
export type DiffRow = DiffLine | { readonly kind: 'skipped'; readonly lines: readonly DiffLine[] };

/** So many equal lines stay around a difference. */
const AROUND = 3;
/** A longer equal stretch of a changed line is shortened to its ends. */
const LONGEST_SAME = 160;
const END = 60;
/** Texts with less in common than is found in this time, or with more edits, are shown one after the other. */
const TIMEOUT_MS = 500;
const MOST_EDITS = 4_000;
/** In more lines than these, what changed within each is not looked for. */
const MOST_PAIRED = 50;

/** The differences from one text to another, line by line. JSON is compared by its values, in one order of properties. */
export function differencesOf(before: string, after: string): DiffRow[] {
  const [old, now] = [comparable(before), comparable(after)];
  const bounds = { timeout: TIMEOUT_MS, maxEditLength: MOST_EDITS };
  const changes = diffLines(old, now, bounds) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  const lines: DiffLine[] = [];
  for (let at = 0; at < changes.length; at++) {
    const { value, removed, added } = changes[at] as (typeof changes)[number];
    const texts = linesOf(value);
    const next = changes[at + 1];
    const inPlace = removed && next?.added ? linesOf(next.value) : [];
    if (inPlace.length === texts.length && texts.length > 0 && texts.length <= MOST_PAIRED) {
      const pairs = texts.map((text, n) => piecesOf(text, inPlace[n] ?? ''));
      lines.push(...pairs.map(({ old: pieces }): DiffLine => ({ kind: 'removed', pieces })));
      lines.push(...pairs.map(({ now: pieces }): DiffLine => ({ kind: 'added', pieces })));
      at++;
      continue;
    }
    const kind = removed ? 'removed' : added ? 'added' : 'same';
    for (const text of texts) lines.push({ kind, pieces: [{ text, changed: false }] });
  }
  return folded(lines);
}

/** As text with an end of line behind each line; JSON with one property a line. */
function comparable(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(
      canonicalize(JSON.parse(text), null, null, (_, value) => value),
      null,
      2,
    );
  } catch {
    // It is no JSON, or was cut: compared unchanged.
  }
  return shown === '' ? '' : `${shown.replaceAll('\r\n', '\n')}\n`;
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The differences within a line that was replaced by another one. */
function piecesOf(before: string, after: string): { old: DiffPiece[]; now: DiffPiece[] } {
  const parts = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS / 10, maxEditLength: MOST_EDITS });
  if (parts === undefined) return { old: [{ text: before, changed: true }], now: [{ text: after, changed: true }] };
  const side = (left: 'added' | 'removed') =>
    parts
      .filter((part) => !part[left])
      .map(({ value, added, removed }) => {
        const changed = added || removed;
        return { text: changed ? value : shortened(value), changed };
      });
  return { old: side('added'), now: side('removed') };
}

function shortened(text: string): string {
  if (text.length <= LONGEST_SAME) return text;
  const left = (text.length - 2 * END).toLocaleString('en-US');
  return `${text.slice(0, END)}… ${left} characters …${text.slice(-END)}`;
}

function folded(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = [];
  for (let from = 0; from < lines.length; ) {
    if (lines[from]?.kind !== 'same') {
      rows.push(...lines.slice(from, ++from));
      continue;
    }
    let to = from;
    while (lines[to]?.kind === 'same') to++;
    const head = from === 0 ? 0 : AROUND;
    const tail = to === lines.length ? 0 : AROUND;
    // One line is not worth a fold.
    if (to - from <= head + tail + 1) rows.push(...lines.slice(from, to));
    else
      rows.push(
        ...lines.slice(from, from + head),
        { kind: 'skipped', lines: lines.slice(from + head, to - tail) },
        ...lines.slice(to - tail, to),
      );
    from = to;
  }
  return rows;
}
