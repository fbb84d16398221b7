import type { PastCall, ToolTable } from '@callsmith/turn';
import type { CallBuilder, ChatTemplate, Dialect, OpeningMarker, ReasoningBlock, ResultFormat } from '../dialect.ts';
import { type Scanner, type Step, unsure } from '../scanner.ts';
import { type JsonCallShape, parseJsonCalls, readClose } from './json-calls.ts';
import { argumentsJson, example, toolPrompt } from './tool-prompt.ts';

/** A dialect whose calls are JSON between markers. */
export interface JsonBlock {
  readonly name: string;
  readonly openingMarkers: readonly OpeningMarker[];
  /** Markers that may end the block; none where the payload's own end is the end. */
  readonly closingMarkers: readonly string[];
  /** Markers that some models write behind a block whose end does not need them. */
  readonly strayClosers?: readonly string[];
  readonly keys?: readonly [name: string, args: string];
  /** `{"NAME": {…}}`: the key is the name. */
  readonly keyed?: boolean;
  /** Its markers could be prose. */
  readonly ambiguous?: boolean;
  /** What is left of a call when a server strips the markers: parsed at the answer's start if the dialect is the model's own. */
  readonly residue?: '[' | '{';
  /** What may stand between the opening marker and the payload, e.g. a second marker. */
  readonly lead?: readonly string[];
  /** One call's block, round the JSON of a call. */
  readonly block: (json: string) => string;
  readonly result: ResultFormat;
  readonly frames?: Dialect['frames'];
  readonly reasoning?: readonly ReasoningBlock[];
  readonly template?: ChatTemplate;
  readonly rules?: readonly string[];
  /** Fields that stand before the name. */
  readonly head?: (call: PastCall) => string;
}

/** Makes a dialect of JSON between markers. */
export function jsonBlock(of: JsonBlock): Dialect {
  const [nameKey, argsKey] = of.keys ?? ['name', 'arguments'];
  const shape: JsonCallShape = {
    name: nameKey,
    args: argsKey,
    closes: of.closingMarkers,
    ...(of.keyed && { keyed: true }),
  };
  const bare: JsonCallShape = { ...shape, bare: true };
  const json = (call: PastCall): string =>
    of.keyed
      ? `{${JSON.stringify(call.name)}: ${argumentsJson(call)}}`
      : `{${of.head?.(call) ?? ''}${JSON.stringify(nameKey)}: ${JSON.stringify(call.name)}, ${JSON.stringify(argsKey)}: ${argumentsJson(call)}}`;
  const write = (call: PastCall): string => of.block(json(call));
  const isResidue = (opener: OpeningMarker): boolean => opener.rule === 'restore-markers';
  const around = of.block('\u0000').split('\u0000');
  return {
    name: of.name,
    ...(of.ambiguous && { ambiguous: true }),
    innerMarkers: (of.lead ?? []).filter((word) => !word.startsWith('`')),
    ...(of.template && { template: of.template }),
    ...(of.frames && { frames: of.frames }),
    ...(of.reasoning && { reasoning: of.reasoning }),
    openingMarkers: (_tools: ToolTable, own: boolean) =>
      own && of.residue
        ? [...of.openingMarkers, { text: of.residue, at: 'answer', rule: 'restore-markers' }]
        : of.openingMarkers,
    closingMarkers: () => [...of.closingMarkers, ...(of.strayClosers ?? [])],
    *matches(scan, builder) {
      if (isResidue(builder.opener)) return true;
      for (const word of of.lead ?? []) {
        const near = yield* scan.afterSpace(word.length);
        if (near === word) return true;
      }
      const next = yield* scan.afterSpace(1);
      if (next === '`') return /^\s*```\w*\s*[{[]/.test(yield* scan.ahead(40));
      return next === '{' || next === '[';
    },
    *parse(scan, builder) {
      if (isResidue(builder.opener)) {
        if (builder.opener.text === of.residue) scan.back(builder.opener.text.length);
        yield* parseJsonCalls(scan, builder, bare);
        return;
      }
      if (of.lead) {
        yield* scan.space();
        yield* scan.oneOf(of.lead);
      }
      const fenced = yield* takeFence(scan, builder);
      const empty = yield* emptyListAhead(scan);
      yield* parseJsonCalls(scan, builder, fenced ? { ...shape, closes: ['```', ...shape.closes] } : shape);
      if (fenced) {
        yield* scan.space();
        yield* scan.takeText('```');
      }
      yield* readClose(scan, builder, of.closingMarkers);
      return empty ? 'frame' : undefined;
    },
    renderToolPrompt: (tools, choice) =>
      toolPrompt(tools, choice, write(example), of.rules ?? ['For several calls repeat the whole block.']),
    renderCall: write,
    ...of.result,
    ...(!of.keyed && {
      fence: (tool) => ({
        trigger: of.openingMarkers[0]?.text ?? '',
        begin: `${around[0]}{${JSON.stringify(nameKey)}: ${JSON.stringify(tool.name)}, ${JSON.stringify(argsKey)}: `,
        end: `}${around[1] ?? ''}`,
      }),
    }),
  };
}

/** `[]`: the model says that it calls nothing. */
const emptyListAhead = (scan: Scanner): Step<boolean> =>
  scan.look(64, (ahead, all) => {
    if (/^\s*\[\s*\]/.test(ahead)) return true;
    return !all && /^\s*(?:\[\s*)?$/.test(ahead) ? unsure : false;
  });

/** Takes a fence that stands between the marker and the payload. */
function* takeFence(scan: Scanner, builder: CallBuilder): Step<boolean> {
  if ((yield* scan.afterSpace(3)) !== '```') return false;
  yield* scan.space();
  const from = scan.offset;
  yield* scan.run(/`/, 8);
  yield* scan.run(/\w/, 16);
  builder.repair('strip-fence', from, scan.offset);
  return true;
}
