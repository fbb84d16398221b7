import { ToolTable } from '@callsmith/turn';
import { ContentCache } from '../content-cache.ts';
import type { ChatTemplate, Dialect, OpeningMarker, ReasoningBlock } from '../dialect.ts';
import { templatesWithoutDialect } from '../families/chat-templates.ts';
import { type MarkerEntry, MarkerSet } from './marker-set.ts';
import type { TextParserOptions } from './text-parser-options.ts';

const none = new ToolTable();
const markersWithoutTools = new Map<string, MarkerSet>();
/**
 * Markers depend on nothing of a tool but its name. They take about 130 bytes for each character of a name, so the
 * cache takes 50 MB at most.
 */
const markersByTools = new ContentCache<MarkerSet>(64, 384 * 1024, () => 4_096);

/**
 * All markers that the parser looks for, as the dialects declare them. The part that does not depend on the tools is
 * built once.
 */
export function markersFor(options: TextParserOptions): MarkerSet {
  const { own, tools, unmarked } = options;
  const name = `${own?.name ?? ''}${unmarked ? ' unmarked' : ''}`;
  let common = markersWithoutTools.get(name);
  if (!common) {
    common = new MarkerSet(commonMarkers(options));
    markersWithoutTools.set(name, common);
  }
  if (tools.size === 0) return common;
  const named = dialectsThatNameTools(options);
  if (named.length === 0) return common;
  const names = tools.derive('names', (list) => JSON.stringify(list.map((tool) => tool.name)));
  const base = common;
  return markersByTools.get(`${name}\n${names}`, () => new MarkerSet(markersWithNames(options, named), base));
}

const namingTools = new WeakMap<readonly Dialect[], readonly Dialect[]>();

/** The dialects whose markers name the tools. */
function dialectsThatNameTools(options: TextParserOptions): readonly Dialect[] {
  const { dialects } = options;
  let found = namingTools.get(dialects);
  if (!found) namingTools.set(dialects, (found = dialects.filter(namesTools)));
  return found.filter((dialect) => isParsed(dialect, options));
}

const namesTools = (dialect: Dialect): boolean =>
  dialect.markersNameTools === true || dialect.openingMarkersByName !== undefined;

/** A dialect that could be prose is parsed only if it is the model's own, or if the model's is uncertain. */
const isParsed = (dialect: Dialect, { own, unmarked }: TextParserOptions): boolean =>
  dialect === own || unmarked || !dialect.ambiguous;

function* markersWithNames(options: TextParserOptions, dialects: readonly Dialect[]): Generator<MarkerEntry> {
  yield* openingMarkers(options, dialects);
  const named = dialects.filter((dialect) => dialect.markersNameTools);
  yield* closingMarkers(options, named);
}

function* openingMarkers(options: TextParserOptions, dialects: readonly Dialect[]): Generator<MarkerEntry> {
  const { own, tools, unmarked } = options;
  const siblings = new Set(own?.openingMarkers(tools, true).map((marker) => marker.text));
  siblings.delete('');
  for (const dialect of dialects) {
    const isOwn = dialect === own;
    if (!isParsed(dialect, options)) continue;
    for (const marker of markersOf(dialect, tools, isOwn)) {
      if (marker.ambiguous && !isOwn && !unmarked) continue;
      const foreign = own !== undefined && !isOwn && !siblings.has(marker.text);
      yield {
        text: marker.text,
        at: marker.at,
        role: {
          kind: 'call',
          dialect,
          openingMarker: marker,
          own: isOwn,
          foreign,
          unmarked: isOwn ? marker.at === 'fence' : (dialect.ambiguous || marker.ambiguous) === true,
        },
      };
      const tag = /^<((?:[｜|]\w+[｜|] ?)?[a-zA-Z_:]+)>$/.exec(marker.text);
      if (!tag || marker.onlyAtEnd) continue;
      yield { text: `&lt;${tag[1]}&gt;`, at: marker.at, role: { kind: 'escaped-call' } };
      yield { text: `＜${tag[1]}＞`, at: marker.at, role: { kind: 'escaped-call' } };
      yield { text: marker.text, at: marker.at, role: { kind: 'escaped-call' } };
    }
  }
}

/** The opening markers of a dialect: with tools, only those that depend on them. */
const markersOf = (dialect: Dialect, tools: ToolTable, own: boolean): readonly OpeningMarker[] =>
  tools.size > 0 && dialect.openingMarkersByName
    ? dialect.openingMarkersByName(tools)
    : dialect.openingMarkers(tools, own);

/**
 * A closing marker that could be prose (a fence, a tag that is a tool's name) counts as surplus only directly after a
 * call.
 */
function* closingMarkers({ tools }: TextParserOptions, dialects: readonly Dialect[]): Generator<MarkerEntry> {
  const certain = closersOf(
    dialects.filter((dialect) => !dialect.ambiguous),
    tools,
  );
  for (const text of certain) yield { text, at: 'anywhere', role: { kind: 'stray-close' } };
  for (const text of closersOf(dialects, tools))
    if (!certain.has(text)) yield { text, at: 'anywhere', role: { kind: 'stray-close', directly: true } };
}

const closersOf = (dialects: readonly Dialect[], tools: ToolTable): Set<string> =>
  new Set(dialects.flatMap((dialect) => dialect.closingMarkers?.(tools) ?? []));

/** The markers that are the same for all tools; the model's own dialect first. */
function* commonMarkers(options: TextParserOptions): Generator<MarkerEntry> {
  const { own } = options;
  const parsed = options.dialects.filter((dialect) => dialect !== own && isParsed(dialect, options));
  const dialects = own ? [own, ...parsed] : parsed;
  const withoutNames = { ...options, tools: none };
  const unnamed = dialects.filter((dialect) => !dialect.markersNameTools);
  yield* openingMarkers(withoutNames, unnamed);
  yield* reasoningMarkers(own, options.dialects);
  yield* frameMarkers(own, dialects, false);
  yield* turnEnds(options.dialects);
  yield* frameMarkers(own, dialects, true);
  yield* closingMarkers(withoutNames, unnamed);
  yield* resultMarkers(own, own ? dialects.filter((dialect) => dialect === own || !dialect.ambiguous) : dialects);
  yield* turnStarts(options.dialects);
  yield* exampleTags();
  for (const text of closersElsewhere) yield { text, at: 'anywhere', role: { kind: 'stray-close', directly: true } };
}

/** Closing markers that models write instead of their own. */
const closersElsewhere = [
  '</tool_call>',
  '</tool>',
  '</tools>',
  '</function>',
  '</invoke>',
  '</function_calls>',
  '</tool_calls>',
  '&lt;/tool_call&gt;',
];

/** The tags of elements that show code in a document. */
function* exampleTags(): Generator<MarkerEntry> {
  const entry = (text: string, element: string, opens: boolean): MarkerEntry => ({
    text,
    at: 'anywhere',
    role: { kind: 'example', element, opens },
  });
  for (const element of ['pre', 'code', 'xmp', 'samp', 'example']) {
    yield entry(`<${element}>`, element, true);
    yield entry(`<${element} `, element, true);
    yield entry(`</${element}>`, element, false);
  }
  yield entry('<!--', '!--', true);
  yield entry('-->', '!--', false);
}

/** The model's own blocks first, then those that cannot be prose: any model may have learned them. */
function* reasoningMarkers(own: Dialect | undefined, dialects: readonly Dialect[]): Generator<MarkerEntry> {
  for (const block of own?.reasoning ?? []) yield reasoning(block, block.at);
  const lone = new Set<string>();
  const known = new Set<string>();
  for (const block of dialects.flatMap((dialect) => dialect.reasoning ?? [])) {
    if (block.elsewhere && !known.has(block.open)) yield reasoning(block, block.elsewhere);
    known.add(block.open);
    if (block.openedByPrompt) for (const close of block.closes) lone.add(close);
  }
  for (const text of lone) yield { text, at: 'anywhere', role: { kind: 'reasoning-close' } };
}

const reasoning = (block: ReasoningBlock, at: 'anywhere' | 'line' | 'answer'): MarkerEntry => ({
  text: block.open,
  at,
  role: { kind: 'reasoning', block },
});

/** Frames that are removed anywhere, or (`besideCall`) only beside a call. */
function* frameMarkers(
  own: Dialect | undefined,
  dialects: readonly Dialect[],
  besideCall: boolean,
): Generator<MarkerEntry> {
  for (const dialect of dialects) {
    for (const { text, at, elsewhere } of dialect.frames ?? []) {
      const always = dialect === own || (!own && elsewhere === 'unmistakable');
      if (always === besideCall || !(always || elsewhere)) continue;
      yield { text, at, role: { kind: 'frame', besideCall } };
    }
  }
}

function* turnEnds(dialects: readonly Dialect[]): Generator<MarkerEntry> {
  for (const text of new Set(templatesOf(dialects).flatMap(({ turnEnds }) => turnEnds)))
    yield { text, at: 'anywhere', role: { kind: 'turn-end' } };
}

/**
 * Tool results: a model that writes one after its call has failed to stop. Those that count only directly after a call
 * are looked for there.
 */
function* resultMarkers(own: Dialect | undefined, dialects: readonly Dialect[]): Generator<MarkerEntry> {
  const known = new Set<string>();
  for (const dialect of dialects) {
    for (const marker of dialect.resultMarkers) {
      if (known.has(marker.text) || marker.directly || (marker.ambiguous && dialect !== own)) continue;
      known.add(marker.text);
      yield { text: marker.text, at: marker.at, role: { kind: 'result', marker } };
    }
  }
}

/** Starts of other roles' turns, treated like results. */
function* turnStarts(dialects: readonly Dialect[]): Generator<MarkerEntry> {
  for (const text of new Set(templatesOf(dialects).flatMap(({ turnStarts }) => turnStarts ?? [])))
    yield { text, at: 'anywhere', role: { kind: 'result', marker: { text, at: 'anywhere' } } };
}

/** Every known chat template: a model may have learned from text in another one. */
export const templatesOf = (dialects: readonly Dialect[]): readonly ChatTemplate[] => [
  ...new Set([...dialects.flatMap(({ template }) => (template ? [template] : [])), ...templatesWithoutDialect]),
];
