import type { PastCall, ToolTable } from '@callsmith/turn';
import type { CallBuilder, ChatTemplate, Dialect, OpeningMarker, ReasoningBlock, ResultFormat } from '../dialect.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';
import { type JsonCallShape, parseClosingMarker, parseJsonCalls } from './json-calls.ts';
import { nextVisibleChar, rulesOutJsonCalls } from './rules-out.ts';
import { argumentsJson, example, type Rule, several, toolPrompt } from './tool-prompt.ts';
import { isUnmistakable } from './unmistakable.ts';

/** A dialect whose calls are JSON between markers. */
export interface JsonBlock {
  readonly name: string;
  readonly openingMarkers: readonly OpeningMarker[];
  /** Markers that may end the block; none if the end of the payload ends it. */
  readonly closingMarkers: readonly string[];
  /** Markers that some models write after a block that needs no closing marker. */
  readonly strayClosers?: readonly string[];
  readonly keys?: readonly [name: string, args: string];
  /** `{"NAME": {…}}`: the key is the name. */
  readonly nameIsKey?: boolean;
  /** Its markers could be prose. */
  readonly ambiguous?: boolean;
  /**
   * The beginning of a call whose markers a server stripped: parsed at the answer's start if the dialect is the model's
   * own.
   */
  readonly strippedStart?: '[' | '{';
  /** Markers that may come between the opening marker and the payload. */
  readonly secondMarkers?: readonly string[];
  /** Wraps the JSON of a call in its markers. */
  readonly wrap: (json: string) => string;
  /** The same for a constrained engine, if the usual marker could be prose. */
  readonly fenceWrap?: (json: string) => string;
  readonly result: ResultFormat;
  readonly frames?: Dialect['frames'];
  readonly reasoning?: readonly ReasoningBlock[];
  readonly template?: ChatTemplate;
  readonly rules?: readonly Rule[];
  /** Fields before the name. */
  readonly fieldsBeforeName?: (call: PastCall) => string;
}

/** Makes a dialect of JSON between markers. */
export function jsonBlock(of: JsonBlock): Dialect {
  const shape = shapeOf(of);
  const bare: JsonCallShape = { ...shape, unmarked: true };
  const write = (call: PastCall): string => of.wrap(callJson(call, of));
  const fence = fenceOf(of, shape);
  return {
    name: of.name,
    ...(of.ambiguous && { ambiguous: true }),
    innerMarkers: (of.secondMarkers ?? []).filter((marker) => !marker.startsWith('`')),
    ...(of.template && { template: of.template }),
    ...(of.frames && { frames: of.frames }),
    ...(of.reasoning && { reasoning: of.reasoning }),
    openingMarkers: (_tools: ToolTable, own: boolean) =>
      own && of.strippedStart
        ? [...of.openingMarkers, { text: of.strippedStart, at: 'answer', rule: 'restore-markers' }]
        : of.openingMarkers,
    closingMarkers: () => [...of.closingMarkers, ...(of.strayClosers ?? [])],
    rulesOut(text, at, openingMarker, tools) {
      if (of.secondMarkers || isStripped(openingMarker)) return false;
      const char = nextVisibleChar(text, at);
      if (char === undefined || '`#/'.includes(char)) return false;
      return (char !== '{' && char !== '[') || rulesOutJsonCalls(text, at, { shape, tools });
    },
    *matches(scan, builder) {
      return isStripped(builder.openingMarker) || (yield* payloadAhead(scan, of));
    },
    *parse(scan, builder) {
      if (!isStripped(builder.openingMarker)) return yield* parseBlock(scan, builder, of, shape);
      if (/^[[{]$/.test(builder.openingMarker.text)) scan.back(1);
      yield* parseJsonCalls(scan, builder, bare);
      return undefined;
    },
    renderToolPrompt: (tools, shape) =>
      toolPrompt(tools, shape, write(example), of.rules ?? [several('For several calls repeat the whole block.')]),
    renderCall: write,
    ...of.result,
    ...(fence && { fence }),
  };
}

const isStripped = (marker: OpeningMarker): boolean => marker.rule === 'restore-markers';

function shapeOf({ keys = ['name', 'arguments'], closingMarkers, nameIsKey }: JsonBlock): JsonCallShape {
  const [nameKey, argumentsKey] = keys;
  return { nameKey, argumentsKey, closingMarkers, ...(nameIsKey && { nameIsKey }) };
}

/** A call as the JSON between the markers. */
const callJson = (call: PastCall, of: JsonBlock): string =>
  `{${of.fieldsBeforeName?.(call) ?? ''}${beforeArguments(call.name, of, shapeOf(of))}${argumentsJson(call)}}`;

/** `"name": "NAME", "arguments": ` */
const beforeArguments = (name: string, of: JsonBlock, { nameKey, argumentsKey }: JsonCallShape): string =>
  of.nameIsKey
    ? `${JSON.stringify(name)}: `
    : `${JSON.stringify(nameKey)}: ${JSON.stringify(name)}, ${JSON.stringify(argumentsKey)}: `;

/** The constraint for an engine; undefined if no marker of the dialect is unmistakable. */
function fenceOf(of: JsonBlock, shape: JsonCallShape): Dialect['fence'] {
  if (of.ambiguous) return undefined;
  const [before = '', behind = ''] = (of.fenceWrap ?? of.wrap)('\u0000').split('\u0000');
  const begin = before.trimStart();
  const trigger = of.openingMarkers.find((marker) => isUnmistakable(marker) && begin.startsWith(marker.text));
  return (
    trigger &&
    (({ name }) => ({
      trigger: trigger.text,
      begin: `${begin}{${beforeArguments(name, of, shape)}`,
      end: `}${behind}`,
      style: 'json',
    }))
  );
}

/** True if the payload, or a text that may precede it, comes next. */
function* payloadAhead(scan: Scanner, { secondMarkers = [] }: JsonBlock): Step<boolean> {
  for (const marker of secondMarkers) {
    const near = yield* scan.afterSpace(marker.length);
    if (near === marker) return true;
  }
  const next = yield* scan.afterSpace(1);
  if (next === '`') return /^\s*```\w*\s*[{[]/.test(yield* scan.ahead(40));
  return next === '{' || next === '[' || ((next === '#' || next === '/') && (yield* commentAhead(scan)));
}

/** `# reads the file⏎{`, `// …⏎{`: comment lines precede the payload. */
const commentAhead = (scan: Scanner): Step<boolean> =>
  scan.look(512, (ahead, all) => {
    const behind = ahead.replace(/^\s*(?:(?:#|\/\/)[^\n]*\n\s*)+/, '');
    if (behind[0] === '{' || behind[0] === '[') return behind.length < ahead.length;
    return !all && /^(?:\s*|(?:#|\/\/?)[^\n]*)$/.test(behind.trimStart()) ? unsure : false;
  });

/** Parses from after the opening marker to the end of the block. */
function* parseBlock(
  scan: Scanner,
  builder: CallBuilder,
  of: JsonBlock,
  shape: JsonCallShape,
): Step<'frame' | undefined> {
  if (of.secondMarkers) {
    yield* scan.space();
    yield* scan.oneOf(of.secondMarkers);
  }
  const fenced = yield* takeFence(scan, builder);
  const empty = yield* emptyListAhead(scan);
  yield* parseJsonCalls(scan, builder, fenced ? { ...shape, closingMarkers: ['```', ...shape.closingMarkers] } : shape);
  if (fenced) {
    yield* scan.space();
    yield* scan.takeText('```');
  }
  if (!(yield* takeOpenerAsCloser(scan, builder))) yield* parseClosingMarker(scan, builder, of.closingMarkers);
  return empty ? 'frame' : undefined;
}

/** `[]`: the model calls nothing. */
const emptyListAhead = (scan: Scanner): Step<boolean> =>
  scan.look(64, (ahead, all) => {
    if (/^\s*\[\s*\]/.test(ahead)) return true;
    return !all && /^\s*(?:\[\s*)?$/.test(ahead) ? unsure : false;
  });

/** `<tool_call>{…}<tool_call>`: the opening marker in place of the closing one, with no call after it. */
function* takeOpenerAsCloser(scan: Scanner, builder: CallBuilder): Step<boolean> {
  const opener = builder.openingMarker.text;
  if (opener.length < 2 || (yield* scan.afterSpace(opener.length)) !== opener) return false;
  const length = yield* scan.look(320, (ahead, all) => {
    const to = ahead.indexOf(opener) + opener.length;
    const behind = ahead.slice(to).trimStart();
    if (behind === '' ? all : behind.startsWith(opener)) return to;
    return !all && opener.startsWith(behind) ? unsure : 0;
  });
  if (length === 0) return false;
  builder.repair('close-wrapper', scan.offset, scan.offset + length);
  scan.at += length;
  return true;
}

/** Consumes a fence between the marker and the payload. */
function* takeFence(scan: Scanner, builder: CallBuilder): Step<boolean> {
  if ((yield* scan.afterSpace(3)) !== '```') return false;
  yield* scan.space();
  const from = scan.offset;
  yield* scan.run(/`/, 8);
  yield* scan.run(/\w/, 16);
  builder.repair('strip-fence', from, scan.offset);
  return true;
}
