/** Something noticed about a turn, with the place it is about if it has one. */
export interface Finding {
  readonly class?: string | undefined;
  readonly rule?: string | undefined;
  readonly action?: string | undefined;
  readonly stage: string;
  readonly guess?: boolean | undefined;
  readonly call?: number | undefined;
  readonly tool?: string | undefined;
  readonly range?: readonly [number, number] | undefined;
  readonly detail?: string | undefined;
}

/** A piece of a text; `marks` are the findings whose range it lies in. */
export interface Piece {
  readonly text: string;
  readonly marks: readonly Finding[];
}

/** Cuts a text at the ranges of findings (UTF-16 offsets). Ranges beyond the text are cut to it; empty ones mark nothing. */
export function pieces(text: string, findings: readonly Finding[]): Piece[] {
  const ranged = findings.flatMap((finding) => {
    if (!finding.range) return [];
    const start = Math.max(0, Math.min(finding.range[0], text.length));
    const end = Math.max(start, Math.min(finding.range[1], text.length));
    return end > start ? [{ finding, start, end }] : [];
  });
  const edges = [...new Set([0, text.length, ...ranged.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );
  return edges.slice(1).map((end, n) => {
    const start = edges[n] ?? 0;
    const marks = ranged.filter((one) => one.start <= start && one.end >= end).map(({ finding }) => finding);
    return { text: text.slice(start, end), marks };
  });
}

/** A range of UTF-16 offsets as UTF-8 bytes, the form in which other tools count. */
export function byteRange(text: string, [start, end]: readonly [number, number]): [number, number] {
  const bytes = new TextEncoder();
  const from = bytes.encode(text.slice(0, start)).length;
  return [from, from + bytes.encode(text.slice(start, end)).length];
}

/** A finding in one line, e.g. `close-brackets, byte 142`. */
export function sayMark(finding: Finding, text: string): string {
  const name = finding.rule ?? finding.class ?? finding.action ?? 'noticed';
  if (!finding.range) return name;
  const [from, to] = byteRange(text, finding.range);
  return `${name}, ${to - from <= 1 ? `byte ${from}` : `bytes ${from} to ${to}`}`;
}

/** True for a finding about a call as a whole: no rule mended a part of it. */
export const isWhole = (finding: Finding): boolean => finding.rule === undefined;

/**
 * Findings by the text that their range is about: the answer's own, or a native call's arguments. A finding counts all
 * calls of the answer; those that came as text were rescued, or say as a whole where they stand.
 */
export function byText(findings: readonly Finding[], natives: number): { text: Finding[]; calls: Finding[][] } {
  const asText = new Set(
    findings.filter((one) => one.action === 'rescued' || (one.range && isWhole(one))).map(({ call }) => call),
  );
  const calls: Finding[][] = Array.from({ length: natives }, () => []);
  const text: Finding[] = [];
  const places = new Map<number, number>();
  for (let call = 0; places.size < natives; call++) if (!asText.has(call)) places.set(call, places.size);
  for (const finding of findings) {
    const place = finding.call === undefined ? undefined : places.get(finding.call);
    (place === undefined ? text : (calls[place] ?? text)).push(finding);
  }
  return { text, calls };
}

/** A native call as the upstream sent it, its pieces joined. */
export interface NativeCall {
  readonly name: string;
  readonly text: string;
}

interface Fragment {
  readonly index?: unknown;
  readonly id?: unknown;
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
