import { isObject, type PastCall, parseJson, type Tool } from '@callsmith/turn';
import type { CallBuilder } from '../dialect.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { isParameter } from '../finalize/tool-parameters.ts';
import { members } from '../json-members.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import { fenceBeginPattern, fencePattern, parseArguments } from './arguments.ts';
import { ArgumentsWriter, type DeclaredType } from './arguments-writer.ts';
import { closingTagAt, takeClosingTag } from './closing-tag.ts';
import { parameterAhead, parseFlatParameters } from './flat-parameters.ts';
import { otherCloses, takeOtherCloser } from './other-closes.ts';
import { parseRawValue } from './raw-member.ts';
import { beginsAt, followedBy, leastOfTag, type RawEnd } from './raw-value.ts';
import { turnEndAhead } from './turn-tokens.ts';

/** A dialect of functions and parameters as tags, with raw values. */
export interface TagShape {
  /** The beginnings of the tags, e.g. `<function` and `<parameter`. */
  readonly callOpen: string;
  readonly callClose: string;
  readonly parameterOpen: string;
  readonly parameterClose: string;
  /** The same tags without the prefix of their names, which models sometimes omit. */
  readonly plain?: TagShape;
  /** `<function=NAME>` or `<invoke name="NAME">`. */
  readonly nameStyle: '=' | 'name';
  /** Closing markers around one or several calls; any of them may end the block. */
  readonly blockCloses: readonly string[];
  /** The value type that the tag declares. */
  readonly declaredType?: (attributes: string) => DeclaredType;
  /** One newline at either end of a value is not part of it. */
  readonly stripsNewlines: boolean;
  /** The closing marker also ends the turn, so that a server may have removed it. */
  readonly closedByTurnEnd?: true;
}

/** `<invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>`, with a prefix before the tags' names. */
export const invokeTags = (prefix: string, blockCloses: readonly string[]): TagShape => ({
  callOpen: `<${prefix}invoke`,
  callClose: `</${prefix}invoke>`,
  parameterOpen: `<${prefix}parameter`,
  parameterClose: `</${prefix}parameter>`,
  ...(prefix !== '' && {
    plain: invokeTags(
      '',
      blockCloses.map((close) => close.replace(`</${prefix}`, '</')),
    ),
  }),
  nameStyle: 'name',
  stripsNewlines: true,
  blockCloses,
});

/** `<function=NAME><parameter=KEY>VALUE</parameter></function>` */
export const functionTags = (blockCloses: readonly string[]): TagShape => ({
  callOpen: '<function',
  callClose: '</function>',
  parameterOpen: '<parameter',
  parameterClose: '</parameter>',
  nameStyle: '=',
  stripsNewlines: true,
  blockCloses,
});

const mostHeader = 512;

/** The rest of a tag after its beginning: `=NAME>`, ` name="NAME" string="true">`. */
interface TagHead {
  readonly name: string;
  readonly attributes: string;
  readonly selfClosing: boolean;
  /** It has the dialect's own form. */
  readonly usual: boolean;
  /** `<parameter k="v">`: the tag holds the value. */
  readonly value?: string;
}

/** The shape and, if models may mix them, the same without the prefix. */
const variants = (shape: TagShape): readonly TagShape[] => (shape.plain ? [shape, shape.plain] : [shape]);

/** The markers that may close a call's block. */
export const allBlockCloses = (shape: TagShape): readonly string[] =>
  shape.plain ? [...new Set([...shape.blockCloses, ...shape.plain.blockCloses])] : shape.blockCloses;

/** Consumes the beginning of a tag, even with space in it (`< parameter`); undefined if there is none. */
export function* takeTag(scan: Scanner, marker: string): Step<'usual' | 'loose' | undefined> {
  if (yield* scan.takeText(marker)) return 'usual';
  if (!/^<[a-z]/.test(marker) || !(yield* scan.isAhead('< '))) return undefined;
  const loose = /^<\s{1,4}/.exec(yield* scan.ahead(marker.length + 4))?.[0] ?? '';
  if (loose === '' || !(yield* scan.ahead(marker.length + 4)).startsWith(marker.slice(1), loose.length))
    return undefined;
  scan.at += loose.length + marker.length - 1;
  return 'loose';
}

/** Parses the rest of a tag. Undefined if it is not one. */
export function* parseTagHead(scan: Scanner, style: '=' | 'name', end = '>'): Step<TagHead | undefined> {
  let length = 64;
  for (;;) {
    const ahead = yield* scan.ahead(length);
    const close = ahead.indexOf(end);
    if (close >= 0) {
      const head = parseHead(ahead.slice(0, close), style);
      if (head) scan.at += close + end.length;
      return head;
    }
    if (ahead.length < length || length >= mostHeader) return undefined;
    length *= 2;
  }
}

function parseHead(head: string, style: '=' | 'name'): TagHead | undefined {
  const selfClosing = head.endsWith('/');
  const attributes = selfClosing ? head.slice(0, -1) : head;
  const named =
    /^\s*(?:[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*')\s+)*?(?:name|tool|key)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/.exec(
      attributes,
    );
  const equal = /^\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<]+))(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*$/.exec(
    attributes,
  );
  const found = named ?? equal;
  const name = (found?.[1] ?? found?.[2] ?? found?.[3])?.trim();
  if (name === undefined || name === '' || name.includes('\n')) return valueInHead(attributes, selfClosing);
  const usual = style === '=' ? equal?.[3] !== undefined && !/\s/.test(attributes) : named?.[1] !== undefined;
  return { name, attributes, selfClosing, usual };
}

/** `<parameter k="v">` */
function valueInHead(attributes: string, selfClosing: boolean): TagHead | undefined {
  const found = /^\s+([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))\s*$/.exec(attributes);
  const value = found?.[2] ?? found?.[3] ?? found?.[4];
  if (value === undefined) return undefined;
  return { name: found?.[1] as string, attributes, selfClosing, usual: false, value };
}

/** Parses one call from after the beginning of its tag. */
export function* parseTagCall(scan: Scanner, builder: CallBuilder, shape: TagShape): Step<void> {
  const from = scan.offset;
  const head = yield* parseTagHead(scan, shape.nameStyle);
  if (!head || head.value !== undefined) throw new ParseFailure('not-a-call');
  const call = builder.open(head.name);
  scan.markUnlessMarked();
  if (!head.usual) call.repair('tolerate-tag', from, scan.offset);
  const out = new ArgumentsWriter(call);
  if (head.selfClosing) {
    out.end();
    call.close();
    return;
  }
  yield* parseTagBody(scan, call, out, shape);
}

/**
 * Parses a call's parameters, or the JSON in their place, up to and including its closing marker, and closes the call.
 */
export function* parseTagBody(scan: Scanner, call: PendingCall, out: ArgumentsWriter, shape: TagShape): Step<void> {
  const ahead = yield* scan.afterSpace(1);
  if ('{`j'.includes(ahead) && (yield* jsonInside(scan))) {
    yield* scan.space();
    yield* parseArguments(scan, call, [shape.callClose, ...shape.blockCloses]);
    yield* scan.space();
    if (!(yield* scan.takeText(shape.callClose)) && !shape.closedByTurnEnd)
      call.repair('close-wrapper', scan.offset, scan.offset);
    call.close();
    return;
  }
  // `<function=NAME><path>…</path>`: the tags are named after the parameters.
  if (yield* parameterAhead(scan, call.tool)) {
    call.repair('tolerate-tag', scan.offset, scan.offset);
    yield* parseFlatParameters(scan, call, [shape.callClose, ...shape.blockCloses]);
    call.close();
    return;
  }
  yield* parseParams(scan, call, out, shape);
  out.end();
  call.close();
}

const objectInside = new RegExp(`^(?:${fencePattern})?\\{\\s*["'}]`);
const beginOfObject = new RegExp(`^(?:${fenceBeginPattern}|(?:${fencePattern})?\\{\\s*)$`);

/** `<function=NAME>{…}`: JSON in place of tags, in a fence or not. */
const jsonInside = (scan: Scanner): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    const json = ahead.trimStart();
    if (objectInside.test(json)) return true;
    return !all && beginOfObject.test(json) ? unsure : false;
  });

function* parseParams(scan: Scanner, call: PendingCall, out: ArgumentsWriter, shape: TagShape): Step<void> {
  const blockCloses = allBlockCloses(shape);
  for (;;) {
    yield* scan.space();
    const from = scan.offset;
    if (yield* takeCloser(scan, call, shape.callClose)) return;
    if (yield* takeCloser(scan, call, shape.parameterClose)) {
      call.repair('drop-stray-close', from, scan.offset);
      continue;
    }
    if (yield* takeParam(scan, call, out, shape)) continue;
    for (const end of blockCloses) {
      if (!(yield* scan.isAhead(end))) continue;
      if (!shape.closedByTurnEnd) call.repair('close-wrapper', from, from);
      return;
    }
    if (!scan.cut && (yield* turnEndAhead(scan))) {
      if (!shape.closedByTurnEnd) call.repair('close-wrapper', from, from);
      return;
    }
    if ((yield* scan.peek()) === '') {
      // the function is still open: it is complete only if the model stopped by itself (D-2)
      if (scan.cut) throw new ParseFailure('cut');
      if (!shape.closedByTurnEnd) call.repair('close-wrapper', from, from);
      return;
    }
    if (yield* takeHalfCloser(scan, [shape.callClose, ...blockCloses])) {
      call.repair('close-wrapper', from, scan.offset);
      return;
    }
    const other = yield* takeOtherCloser(scan, call.tool);
    if (other) call.repair('tolerate-tag', from, scan.offset);
    if (other === 'call') return;
    if (other) continue;
    throw new ParseFailure(
      (yield* cutOff(scan, [shape.parameterOpen, shape.callClose, ...blockCloses])) ? 'cut' : 'broken',
    );
  }
}

function* takeCloser(scan: Scanner, call: PendingCall, tag: string): Step<boolean> {
  const from = scan.offset;
  const closed = yield* takeClosingTag(scan, tag);
  if (closed === 'loose') call.repair('tolerate-tag', from, scan.offset);
  return closed !== undefined;
}

/** Parses a parameter, in either form of its tags. */
function* takeParam(scan: Scanner, call: PendingCall, out: ArgumentsWriter, shape: TagShape): Step<boolean> {
  for (const variant of variants(shape)) {
    const from = scan.offset;
    const tag = yield* takeTag(scan, variant.parameterOpen);
    if (!tag) continue;
    if (tag === 'loose' || variant !== shape) call.repair('tolerate-tag', from, scan.offset);
    yield* parseParam(scan, call, out, shape, variant, from);
    return true;
  }
  return false;
}

/** Consumes a partial closing marker after which the model stopped by itself, `</func`: the call is complete. */
export function* takeHalfCloser(scan: Scanner, closers: readonly string[]): Step<boolean> {
  if (!(yield* cutOff(scan, closers)) || scan.cut || scan.text.length - scan.at < leastOfTag) return false;
  scan.at = scan.text.length;
  return true;
}

/** True if the text ends in the middle of one of `markers`. */
export function* cutOff(scan: Scanner, markers: readonly string[]): Step<boolean> {
  const longest = Math.max(...markers.map((marker) => marker.length));
  const rest = yield* scan.ahead(longest);
  return scan.ended && markers.some((marker) => rest.length < marker.length && marker.startsWith(rest));
}

function* parseParam(
  scan: Scanner,
  call: PendingCall,
  out: ArgumentsWriter,
  shape: TagShape,
  /** The form of its opening tag. */
  variant: TagShape,
  from: number,
): Step<void> {
  const head = yield* parseTagHead(scan, shape.nameStyle);
  if (!head) throw new ParseFailure((yield* scan.ahead(mostHeader)).includes('>') ? 'broken' : 'cut');
  if (!head.usual) call.repair('tolerate-tag', from, scan.offset);
  if (head.value !== undefined) {
    out.rawMember(head.name, undefined).end(head.value, false);
    return;
  }
  const end: RawEnd = {
    close: variant.parameterClose,
    otherCloses: otherCloses(
      call.tool,
      head.name,
      variant.parameterClose,
      [shape.parameterOpen, shape.callOpen, ...shape.blockCloses],
      shape.plain !== undefined,
    ),
    follow: [...variants(shape).flatMap((one) => [one.parameterOpen, one.callClose]), ...allBlockCloses(shape)],
    stripsNewlines: shape.stripsNewlines,
    impliedEnd: (text, at, ended, afterNewline) =>
      impliedEnd(text, at, ended && !scan.cut, ended, afterNewline, shape, call.tool, out, head.name),
  };
  yield* parseRawValue(scan, call, out, head.name, shape.declaredType?.(head.attributes), end);
}

/**
 * A value without its closing tag ends before the function's end, or before the next parameter of the tool that was not
 * given yet.
 */
function impliedEnd(
  text: string,
  at: number,
  stopped: boolean,
  ended: boolean,
  afterNewline: boolean,
  shape: TagShape,
  tool: Tool | undefined,
  out: ArgumentsWriter,
  current: string,
): boolean | undefined {
  const closes = closingTagAt(text, at, shape.callClose, ended);
  if (closes === undefined) return undefined;
  if (closes > 0) return followedBy(text, at + closes, shape.blockCloses, ended, false);
  for (const end of shape.blockCloses) {
    const wraps = closingTagAt(text, at, end, ended);
    if (wraps === undefined) return undefined;
    if (wraps > 0) return followedBy(text, at + wraps, [], ended, stopped);
  }
  // A tag with a prefix is hardly ever text.
  if (!afterNewline && !shape.plain) return false;
  const opens = beginsAt(text, at, shape.parameterOpen, ended);
  if (!opens) return opens;
  const rest = text.slice(at + shape.parameterOpen.length, at + shape.parameterOpen.length + 128);
  const close = rest.indexOf('>');
  if (close < 0) return !ended && rest.length < 128 ? undefined : false;
  const head = parseHead(rest.slice(0, close), shape.nameStyle);
  return head !== undefined && head.name !== current && isParameter(tool, head.name) && !out.has(head.name);
}

/** A past call's members as raw texts, to be written between tags. */
export function rawMembers(call: PastCall): { key: string; raw: string; text: boolean }[] {
  const json = call.arguments.trim();
  if (!isObject(parseJson(json))) return json === '' ? [] : [{ key: 'input', raw: json, text: true }];
  return members(json).map(({ key, from, to }) => {
    const value = json.slice(from, to);
    return value[0] === '"' ? { key, raw: parseJson(value) as string, text: true } : { key, raw: value, text: false };
  });
}

/**
 * True if tags can express the call: every key is a plain word, given once, and no value contains a closing marker or
 * would be changed by parsing.
 */
export function tagsCanExpress(call: PastCall, tool: Tool | undefined, markers: readonly string[]): boolean {
  const root = tool?.parameters;
  const properties = isObject(root?.properties) ? root.properties : undefined;
  if (!isObject(parseJson(call.arguments))) return false;
  const seen = new Set<string>();
  return rawMembers(call).every(({ key, raw, text }) => {
    if (seen.has(key) || !/^[\w.-]+$/.test(key)) return false;
    seen.add(key);
    const schema = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const type = isObject(schema) ? schema.type : undefined;
    if (text !== (type === undefined || type === 'string')) return false;
    return !markers.some((marker) => raw.includes(marker)) && !/^\r|\r$/.test(raw);
  });
}
