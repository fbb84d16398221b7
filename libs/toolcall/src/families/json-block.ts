import type { PastCall, ToolTable } from '@callsmith/turn';
import type { CallBuilder, Dialect, OpeningMarker, ReasoningBlock } from '../dialect.ts';
import type { Scanner, Step } from '../scanner.ts';
import { type JsonCallShape, parseJsonCalls, readClose } from './json-calls.ts';
import { argumentsJson, example, toolPrompt } from './tool-prompt.ts';

/** A dialect whose calls are JSON between markers. */
export interface JsonBlock {
  readonly name: string;
  readonly opens: readonly OpeningMarker[];
  /** Words that may end the block; none where the payload's own end is the end. */
  readonly closes: readonly string[];
  readonly keys?: readonly [name: string, args: string];
  /** The block holds a list of calls. */
  readonly list?: boolean;
  readonly keyed?: boolean;
  readonly wrapped?: boolean;
  readonly plain?: boolean;
  /** What is left of a call when a server strips the markers: heard at the answer's start if the dialect is the model's own. */
  readonly residue?: '[' | '{';
  /** Takes what may stand between opener and payload, e.g. a second marker. */
  readonly lead?: readonly string[];
  /** One call's block, round the JSON of a call. */
  readonly block: (json: string) => string;
  readonly result: (result: { text: string; name: string; callId: string }) => string;
  readonly frames?: readonly string[];
  readonly reasoning?: readonly ReasoningBlock[];
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
    closes: of.closes,
    ...(of.keyed && { keyed: true }),
    ...(of.wrapped && { wrapped: true }),
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
    ...(of.plain && { ambiguous: true }),
    ...(of.frames && { frames: of.frames }),
    ...(of.reasoning && { reasoning: of.reasoning }),
    openingMarkers: (_tools: ToolTable, own: boolean) =>
      own && of.residue ? [...of.opens, { text: of.residue, at: 'answer', rule: 'restore-markers' }] : of.opens,
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
      yield* parseJsonCalls(scan, builder, fenced ? { ...shape, closes: ['```', ...shape.closes] } : shape);
      if (fenced) {
        yield* scan.space();
        yield* scan.takeText('```');
      }
      yield* readClose(scan, builder, of.closes);
    },
    renderToolPrompt: (tools, choice) =>
      toolPrompt(tools, choice, write(example), of.rules ?? ['For several calls repeat the whole block.']),
    renderCall: write,
    renderResult: of.result,
    ...(!of.keyed && {
      fence: (tool) => ({
        trigger: of.opens[0]?.text ?? '',
        begin: `${around[0]}{${JSON.stringify(nameKey)}: ${JSON.stringify(tool.name)}, ${JSON.stringify(argsKey)}: `,
        end: `}${around[1] ?? ''}`,
      }),
    }),
  };
}

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
