import { ToolTable } from '@callsmith/turn';
import { ContentCache } from '../content-cache.ts';
import type { ChatTemplate, Dialect, OpeningMarker } from '../dialect.ts';
import { dialects } from '../dialects/index.ts';
import { templatesOf } from '../parse/markers-for.ts';
import { type MarkerEscaper, markerEscaper } from './escape-markers.ts';

/**
 * Every marker that could take effect in a prompt of this dialect: its own, those of all dialects that are parsed for
 * every model, and the tokens of all chat templates. A marker is cut before its first quote, backslash or control
 * character, so that it is the same inside a JSON string.
 */
export const liveMarkers = (dialect: Dialect, tools: ToolTable): readonly string[] =>
  allMarkers(ownMarkers(dialect, tools));

/** The escaper of a dialect with these tools; cached by its markers. */
export function escaperFor(dialect: Dialect, tools: ToolTable): MarkerEscaper {
  const own = ownMarkers(dialect, tools);
  return escapers.get(`${dialect.name}\n${own.join('\n')}`, () => markerEscaper(liveMarkers(dialect, tools)));
}

const escapers = new ContentCache<MarkerEscaper>(256, 1_000_000, () => 4096);

const allMarkers = (own: readonly string[]): readonly string[] => [...new Set([...parsedBeside(), ...own])].sort();

function ownMarkers(dialect: Dialect, tools: ToolTable): readonly string[] {
  return escapable([
    ...openingTexts(dialect.openingMarkers(tools, true)),
    ...(dialect.closingMarkers?.(tools) ?? []),
    ...(dialect.innerMarkers ?? []),
    // a marker that counts only before certain text may occur in prose, and is left alone
    ...dialect.resultMarkers.flatMap(({ text, behind }) => (behind ? [] : [text])),
    ...(dialect.resultEnds ?? []),
    ...(dialect.reasoning ?? []).flatMap(({ open, closes, at }) => (at === 'answer' ? closes : [open, ...closes])),
    ...(dialect.template ? tokensOf(dialect.template) : []),
    ...(dialect.frames ?? []).map(({ text }) => text).filter((text) => !/^\p{L}+$/u.test(text.trim())),
  ]);
}

let beside: readonly string[] | undefined;

/** Markers that take effect for every model: those of all dialects that cannot be prose. */
function parsedBeside(): readonly string[] {
  const none = new ToolTable();
  beside ??= escapable([
    ...dialects
      .filter((dialect) => !dialect.ambiguous)
      .flatMap((dialect) => [
        ...openingTexts(dialect.openingMarkers(none, false)),
        ...(dialect.closingMarkers?.(none) ?? []),
        ...(dialect.innerMarkers ?? []),
        ...resultTexts(dialect),
      ]),
    ...dialects.flatMap(({ reasoning = [] }) =>
      reasoning.flatMap(({ elsewhere, open, closes }) => (elsewhere ? [open, ...closes] : [])),
    ),
    ...templatesOf(dialects).flatMap(tokensOf),
  ]);
  return beside;
}

const tokensOf = ({ turnStarts = [], turnEnds, others = [] }: ChatTemplate): readonly string[] => [
  ...turnStarts,
  ...turnEnds,
  ...others,
];

/** Markers that count only at the answer's start have no effect in a prompt. */
const openingTexts = (markers: readonly OpeningMarker[]): readonly string[] =>
  markers.filter(({ at }) => at !== 'answer').map(({ text }) => text);

function resultTexts({ resultMarkers, resultEnds = [] }: Dialect): readonly string[] {
  const certain = resultMarkers.filter(({ at, ambiguous }) => at === 'anywhere' && !ambiguous);
  return certain.length === 0 ? [] : [...certain.map(({ text }) => text), ...resultEnds];
}

const escapable = (markers: readonly string[]): readonly string[] =>
  markers
    .map((text) => text.trim().replace(/["\\\u0000-\u001f].*$/s, ''))
    .filter((text) => text.length >= 3 && /\p{L}/u.test(text));
