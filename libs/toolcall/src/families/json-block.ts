import type { PastCall, ToolTable } from '@callsmith/turn';
import type { Dialect, Hearing, Opener, Reasoning } from '../dialect.ts';
import type { Scanner, Step } from '../scanner.ts';
import { type JsonCallShape, readClose, readJsonCalls } from './json-calls.ts';
import { argumentsJson, example, lesson } from './teach.ts';

/** A dialect whose calls are JSON between markers. */
export interface JsonBlock {
  readonly name: string;
  readonly opens: readonly Opener[];
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
  readonly reasoning?: readonly Reasoning[];
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
  const isResidue = (opener: Opener): boolean => opener.rule === 'restore-markers';
  const around = of.block('\u0000').split('\u0000');
  return {
    name: of.name,
    ...(of.plain && { plain: true }),
    ...(of.frames && { frames: of.frames }),
    ...(of.reasoning && { reasoning: of.reasoning }),
    opens: (_tools: ToolTable, own: boolean) =>
      own && of.residue ? [...of.opens, { word: of.residue, at: 'answer', rule: 'restore-markers' }] : of.opens,
    *fits(scan, hear) {
      if (isResidue(hear.opener)) return true;
      for (const word of of.lead ?? []) {
        const near = yield* scan.afterSpace(word.length);
        if (near === word) return true;
      }
      const next = yield* scan.afterSpace(1);
      if (next === '`') return /^\s*```\w*\s*[{[]/.test(yield* scan.ahead(40));
      return next === '{' || next === '[';
    },
    *read(scan, hear) {
      if (isResidue(hear.opener)) {
        if (hear.opener.word === of.residue) scan.back(hear.opener.word.length);
        yield* readJsonCalls(scan, hear, bare);
        return;
      }
      if (of.lead) {
        yield* scan.space();
        yield* scan.oneOf(of.lead);
      }
      const fenced = yield* takeFence(scan, hear);
      yield* readJsonCalls(scan, hear, fenced ? { ...shape, closes: ['```', ...shape.closes] } : shape);
      if (fenced) {
        yield* scan.space();
        yield* scan.word('```');
      }
      yield* readClose(scan, hear, of.closes);
    },
    teach: (tools, choice) =>
      lesson(tools, choice, write(example), of.rules ?? ['For several calls repeat the whole block.']),
    write,
    writeResult: of.result,
    ...(!of.keyed && {
      fence: (tool) => ({
        trigger: of.opens[0]?.word ?? '',
        begin: `${around[0]}{${JSON.stringify(nameKey)}: ${JSON.stringify(tool.name)}, ${JSON.stringify(argsKey)}: `,
        end: `}${around[1] ?? ''}`,
      }),
    }),
  };
}

/** Takes a fence that stands between the marker and the payload. */
function* takeFence(scan: Scanner, hear: Hearing): Step<boolean> {
  if ((yield* scan.afterSpace(3)) !== '```') return false;
  yield* scan.space();
  const from = scan.offset;
  yield* scan.run(/`/, 8);
  yield* scan.run(/\w/, 16);
  hear.mend('strip-fence', from, scan.offset);
  return true;
}
