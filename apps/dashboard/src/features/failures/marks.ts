/** Something noticed about a request, with the place it is about if it has one. */
export interface Finding {
  /** Which of several answers; absent: the only one. */
  readonly choice?: number | undefined;
  readonly class?: string | undefined;
  readonly rule?: string | undefined;
  readonly action?: string | undefined;
  readonly guess?: boolean | undefined;
  readonly call?: number | undefined;
  readonly tool?: string | undefined;
  readonly range?: readonly [number, number] | undefined;
  readonly detail?: string | undefined;
}

/** A piece of a text; `marks` are the findings whose range it lies in. */
export interface MarkedPiece {
  readonly text: string;
  readonly marks: readonly Finding[];
}

/**
 * Cuts a text at the ranges of findings (UTF-16 offsets). Ranges beyond the text are cut to it; an empty one, where
 * something was missing, is a piece without text.
 */
export function markedPieces(text: string, findings: readonly Finding[]): MarkedPiece[] {
  const ranged = findings.flatMap((finding) => {
    if (!finding.range) return [];
    const [from, to] = finding.range;
    const start = Math.max(0, Math.min(from, text.length));
    const end = Math.max(start, Math.min(to, text.length));
    return end > start || (from === to && from === start) ? [{ finding, start, end }] : [];
  });
  const edges = [...new Set([0, text.length, ...ranged.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );
  return edges.flatMap((start, n) => {
    const end = edges[n + 1] ?? start;
    const points = ranged.filter((one) => one.start === start && one.end === start);
    const over = ranged.filter((one) => one.start <= start && one.end >= end && one.end > start);
    return [
      ...(points.length > 0 ? [{ text: '', marks: points.map(({ finding }) => finding) }] : []),
      ...(end > start ? [{ text: text.slice(start, end), marks: over.map(({ finding }) => finding) }] : []),
    ];
  });
}

/** Where the ranges of findings begin and end, in UTF-8 bytes, the form in which other tools count: by UTF-16 offset. */
export function byteOffsets(text: string, findings: readonly Finding[]): ReadonlyMap<number, number> {
  const encoder = new TextEncoder();
  const offsets = new Set(findings.flatMap(({ range }) => range ?? []));
  const bytes = new Map<number, number>();
  let at = 0;
  let before = 0;
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    before += encoder.encode(text.slice(at, Math.max(at, offset))).length;
    at = Math.max(at, offset);
    bytes.set(offset, before);
  }
  return bytes;
}

/** A finding in one line, e.g. `add-closers, at byte 142`; with byte offsets that hold its range's. */
export function markText(finding: Finding, bytes: ReadonlyMap<number, number>): string {
  const name = finding.rule ?? finding.class ?? finding.action ?? finding.detail ?? 'noticed';
  if (!finding.range) return name;
  const [from = 0, to = 0] = finding.range.map((offset) => bytes.get(offset));
  if (to === from) return `${name}, at byte ${from}`;
  return `${name}, ${to - from === 1 ? `byte ${from}` : `bytes ${from} to ${to}`}`;
}

/** True for a finding about a call as a whole: no rule repaired it. */
const isWhole = (finding: Finding): boolean => finding.rule === undefined;

/** The findings that others lie in, and those about a call as a whole: they are marked more quietly than the rest. */
export function broadFindings(findings: readonly Finding[]): ReadonlySet<Finding> {
  const around = (outer: Finding, inner: Finding): boolean => {
    if (!outer.range || !inner.range) return false;
    const [from, to] = outer.range;
    const same = inner.range[0] === from && inner.range[1] === to;
    return same ? isWhole(inner) : inner.range[0] >= from && inner.range[1] <= to;
  };
  return new Set(findings.filter((one) => isWhole(one) || findings.some((other) => around(one, other))));
}

/**
 * Findings by the text that their range is about: the answer's own, or a native call's arguments. A finding counts all
 * calls of the answer; those that came as text were rescued, or have a finding with a range about the whole call. A call
 * that was split from another native call is not marked, because its arguments are part of the other's.
 */
export function findingsByText(findings: readonly Finding[], natives: number): { text: Finding[]; calls: Finding[][] } {
  const asText = callsWhere(findings, (one) => one.action === 'rescued' || (one.range !== undefined && isWhole(one)));
  const parted = callsWhere(findings, (one) => one.rule === 'split-calls');
  const calls: Finding[][] = Array.from({ length: natives }, () => []);
  const byCall = new Map<number, Finding[]>();
  for (let call = 0, n = 0; n < natives; call++)
    if (!asText.has(call) && !parted.has(call)) byCall.set(call, calls[n++] ?? []);
  const inText = ({ call }: Finding): boolean => natives === 0 || call === undefined || asText.has(call);
  for (const finding of findings) if (finding.call !== undefined) byCall.get(finding.call)?.push(finding);
  return { text: findings.filter(inText), calls };
}

const callsWhere = (findings: readonly Finding[], is: (finding: Finding) => boolean): ReadonlySet<number | undefined> =>
  new Set(findings.filter(is).map(({ call }) => call));

/** A native call as the upstream sent it, its pieces joined. */
export interface NativeCall {
  readonly name: string;
  readonly text: string;
}

interface Fragment {
  readonly index?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

/** Joins native call fragments by their index; those without one go to the call before, unless they name a new one. */
export function nativeCalls(fragments: readonly unknown[]): NativeCall[] {
  const calls = new Map<string, { name: string; text: string }>();
  let last = '0';
  for (const fragment of fragments as readonly Fragment[]) {
    if (typeof fragment !== 'object' || fragment === null) continue;
    const named = typeof fragment.name === 'string' && fragment.name !== '';
    if (typeof fragment.index === 'number') last = String(fragment.index);
    else if (named && calls.has(last)) last = `new-${calls.size}`;
    const call = calls.get(last) ?? { name: '', text: '' };
    calls.set(last, call);
    if (named && call.name === '') call.name = fragment.name as string;
    const more = fragment.arguments;
    if (typeof more === 'string') call.text += more;
    else if (more !== undefined && more !== null) call.text += JSON.stringify(more);
  }
  return [...calls.values()];
}
