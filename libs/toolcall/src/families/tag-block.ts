import type { ArgumentStyle, PastCall } from '@callsmith/turn';
import type {
  CallBuilder,
  ChatTemplate,
  Dialect,
  Fence,
  OpeningMarker,
  ReasoningBlock,
  ResultFormat,
} from '../dialect.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';
import { takeClosingTag } from './closing-tag.ts';
import { parameterBegins } from './flat-parameters.ts';
import { isOffered, withoutNamespace } from './json-calls.ts';
import { nextVisibleChar } from './rules-out.ts';
import { allBlockCloses, parseTagCall, rawMembers, type TagShape, tagsCanExpress, takeTag } from './tags.ts';
import { example, type Rule, several, toolPrompt } from './tool-prompt.ts';

/** A dialect of functions and parameters as tags. */
export interface TagBlock {
  readonly name: string;
  readonly shape: TagShape;
  /** Opening markers of a block that holds one or several calls. */
  readonly blockOpens: readonly OpeningMarker[];
  /** Opening markers of a call without the block: the beginning of the call's own tag. */
  readonly callOpens?: readonly OpeningMarker[];
  /** Markers before each call in the block, e.g. Step-3's. */
  readonly beforeCall?: readonly string[];
  readonly behindCall?: readonly string[];
  readonly reasoning?: readonly ReasoningBlock[];
  readonly frames?: Dialect['frames'];
  readonly template?: ChatTemplate;
  readonly innerMarkers?: readonly string[];
  /** How a call is written. */
  readonly writes: {
    readonly before: string;
    readonly behind: string;
    /** Written after the head and after every parameter; a newline by default. */
    readonly newline?: '';
    /** Every value is written on its own lines, not only one that begins or ends with a newline. */
    readonly ownLines?: true;
    /** The attribute that declares the value's type. */
    readonly attribute?: (text: boolean) => string;
  };
  readonly result: ResultFormat;
  readonly rules?: readonly Rule[];
  /**
   * The name of its parameter syntax in engines' grammars; absent: they have none, and the arguments are JSON there.
   */
  readonly style?: ArgumentStyle;
}

/** Makes a dialect of tags with raw values. */
export function tagBlock(of: TagBlock): Dialect {
  const { shape } = of;
  const renderCall = (call: PastCall): string => writeCall(call, of);
  const isUnwrapped = (marker: OpeningMarker): boolean =>
    of.callOpens?.some((one) => one.text === marker.text) ?? false;
  const callOpens = callOpensOf(shape);
  const leads = callOpens.flatMap((open) => [...(of.beforeCall ?? []).map((lead) => lead + open), open]);
  return {
    name: of.name,
    ...(of.reasoning && { reasoning: of.reasoning }),
    ...(of.frames && { frames: of.frames }),
    ...(of.template && { template: of.template }),
    innerMarkers: [...(of.beforeCall ?? []), ...(of.innerMarkers ?? [])],
    openingMarkers: () => [...of.blockOpens, ...(of.callOpens ?? [])],
    closingMarkers: () => [...shape.blockCloses, ...(of.behindCall ?? []), shape.callClose, shape.parameterClose],
    rulesOut(text, at, openingMarker) {
      if (isUnwrapped(openingMarker) || !leads.every((lead) => lead.startsWith('<'))) return false;
      const char = nextVisibleChar(text, at);
      return char !== undefined && char !== '<';
    },
    *matches(scan, builder) {
      return yield* isUnwrapped(builder.openingMarker)
        ? headAhead(scan, builder, shape)
        : callTagAhead(scan, callOpens, leads);
    },
    *parse(scan, builder) {
      if (isUnwrapped(builder.openingMarker)) {
        yield* parseTagCall(scan, builder, shape);
        yield* endOfBlock(scan, of, false);
      } else yield* parseBlock(scan, builder, of);
    },
    renderToolPrompt: (tools, shape) =>
      toolPrompt(tools, shape, renderCall(example), [
        'Write values as they are, without quotes and without escaping; objects and lists as JSON.',
        ...(of.rules ?? [several('For several calls repeat the whole block.')]),
      ]),
    renderCall,
    ...of.result,
    fence: ({ name }) => fenceOf(name, of),
    canExpress: (call, tool) =>
      tagsCanExpress(call, tool, [
        shape.parameterClose,
        shape.callClose,
        shape.parameterOpen,
        ...(shape.plain ? [shape.callOpen] : []),
        ...shape.blockCloses,
      ]),
  };
}

/**
 * True if the rest of a call's own tag comes next, with an offered name or in the model's own dialect, and a valid
 * continuation after it.
 */
function* headAhead(scan: Scanner, builder: CallBuilder, shape: TagShape): Step<boolean> {
  const ahead = yield* scan.ahead(128);
  const head = /^\s*(?:=|name\s*=)?\s*["']?([^\s"'<>/]+)["']?\s*\/?>\s*([\s\S])?/.exec(ahead);
  const name = head?.[1];
  if (!head || name === undefined || !(builder.own || isOffered(builder, name))) return false;
  const tool = builder.tools.get(withoutNamespace(name));
  if (head[0].includes('/>')) return true;
  const behind = ahead.slice(head[0].length - (head[2] === undefined ? 0 : 1));
  return (
    behind.startsWith(shape.callClose) || paramBegins(behind, shape.parameterOpen) || parameterBegins(behind, tool)
  );
}

/** True if a call's tag comes next in its block; white space may follow its `<`. */
function* callTagAhead(scan: Scanner, callOpens: readonly string[], leads: readonly string[]): Step<boolean> {
  for (const lead of leads) if ((yield* scan.afterSpace(lead.length)) === lead) return true;
  for (const open of callOpens) {
    const ahead = yield* scan.afterSpace(open.length + 4);
    if (/^<\s/.test(ahead) && ahead.replace(/^<\s+/, '<').startsWith(open)) return true;
  }
  return false;
}

/** The beginnings of a call's tag, with and without the prefix of its name. */
const callOpensOf = ({ callOpen, plain }: TagShape): readonly string[] =>
  plain ? [callOpen, plain.callOpen] : [callOpen];

/** Parses the calls of a block from after its opening marker, and its closing one. */
function* parseBlock(scan: Scanner, builder: CallBuilder, of: TagBlock): Step<void> {
  let any = false;
  for (;;) {
    yield* scan.space();
    const begin = scan.offset;
    yield* scan.oneOf(of.beforeCall ?? []);
    yield* scan.space();
    const from = scan.offset;
    const tag = yield* takeCallTag(scan, of.shape);
    if (!tag) break;
    if (tag === 'loose') builder.repair('tolerate-tag', from, scan.offset);
    yield* parseTagCall(scan, builder, of.shape);
    any = true;
    yield* scan.space();
    yield* scan.oneOf(of.behindCall ?? []);
    builder.setRange(begin);
  }
  if (!any) throw new ParseFailure('not-a-call');
  if (!(yield* endOfBlock(scan, of, true))) builder.repair('close-wrapper', scan.offset, scan.offset);
}

function* takeCallTag(scan: Scanner, shape: TagShape): Step<'usual' | 'loose' | undefined> {
  const usual = yield* takeTag(scan, shape.callOpen);
  if (usual || !shape.plain) return usual;
  return (yield* takeTag(scan, shape.plain.callOpen)) && 'loose';
}

/** `<param` begins a parameter's tag only if its name ends there. */
const paramBegins = (text: string, param: string): boolean =>
  text.startsWith(param) && /[\s=>]/.test(text[param.length] ?? '');

function* endOfBlock(scan: Scanner, of: TagBlock, inside: boolean): Step<boolean> {
  for (const end of allBlockCloses(of.shape)) {
    yield* scan.space();
    if (yield* takeClosingTag(scan, end)) return true;
  }
  return !inside || of.shape.blockCloses.length === 0;
}

/** White space may precede the call's end tag; the call's own tag is the trigger only if there is no block. */
function fenceOf(name: string, { shape, writes, style = 'json' }: TagBlock): Fence {
  const { before, behind, newline = '\n' } = writes;
  const head = headOf(name, shape);
  return {
    trigger: before.trimEnd() || head.slice(0, -name.length - (shape.nameStyle === '=' ? 1 : 2)),
    begin: `${before}${head}${newline}`,
    end: `${shape.callClose}${behind}`,
    style,
  };
}

/** `<function=NAME>`, `<invoke name="NAME">` */
const headOf = (name: string, { callOpen, nameStyle }: TagShape): string =>
  nameStyle === '=' ? `${callOpen}=${name}>` : `${callOpen} name="${name}">`;

function writeCall(call: PastCall, { shape, writes }: TagBlock): string {
  const { before, behind, newline = '\n', ownLines, attribute } = writes;
  const named = (name: string): string => (shape.nameStyle === '=' ? `=${name}` : ` name="${name}"`);
  const params = rawMembers(call).map(({ key, raw, text }) => {
    const value = ownLines || /^\r?\n|\r?\n$/.test(raw) ? `\n${raw}\n` : raw;
    return `${shape.parameterOpen}${named(key)}${attribute?.(text) ?? ''}>${value}${shape.parameterClose}${newline}`;
  });
  return `${before}${headOf(call.name, shape)}${newline}${params.join('')}${shape.callClose}${behind}`;
}
