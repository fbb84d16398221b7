import type { Range, Tool } from '@callsmith/turn';
import type { CallBuilder } from '../dialect.ts';
import { quoted } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { resolveName } from '../finalize/resolve-name.ts';
import { isParameter, requiredNames } from '../finalize/tool-parameters.ts';
import { findOneOf } from '../find.ts';
import { JsonParser } from '../json-parser.ts';
import { OpenTools } from '../open-tools.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';
import { fenceAhead, parseArguments, takeFence, takeFenceEnd } from './arguments.ts';
import { takeClosingTag } from './closing-tag.ts';
import { isSchema, schemaAhead } from './echoed-schema.ts';

/** How a dialect writes calls as JSON. */
export interface JsonCallShape {
  /** The key of the name. */
  readonly nameKey: string;
  /** The key of the arguments. */
  readonly argumentsKey: string;
  /** Markers that may end the block; if one comes after a complete member, missing closing brackets are added. */
  readonly closingMarkers: readonly string[];
  /** Calls are in an object under `tool_calls`, so that unwrapping them is not a repair. */
  readonly underToolCalls?: boolean;
  /** `{"NAME": {…}}`: the key is the name. */
  readonly nameIsKey?: boolean;
  /** The dialect's own quote, which may delimit strings in the arguments. */
  readonly quote?: string;
  /** No marker precedes the call: it counts only with an offered name and arguments. */
  readonly unmarked?: boolean;
}

type Role = 'name' | 'args' | 'function' | 'calls' | 'schema' | 'ignored';

const roles: Record<string, Role> = {
  name: 'name',
  tool: 'name',
  tool_name: 'name',
  function_name: 'name',
  action: 'name',
  arguments: 'args',
  parameters: 'args',
  args: 'args',
  input: 'args',
  params: 'args',
  tool_input: 'args',
  action_input: 'args',
  function: 'function',
  function_call: 'function',
  tool_call: 'function',
  tool_calls: 'calls',
  input_schema: 'schema',
  inputSchema: 'schema',
  calls: 'calls',
  id: 'ignored',
  type: 'ignored',
  index: 'ignored',
  call_id: 'ignored',
  tool_call_id: 'ignored',
};

const deepest = 3;

/** Parses one call, several consecutive ones (separated by space, `;` or `,`), or a list of calls. */
export function* parseJsonCalls(scan: Scanner, builder: CallBuilder, shape: JsonCallShape): Step<void> {
  for (;;) {
    yield* skipWhitespace(scan, builder);
    const char = yield* scan.peek();
    const from = scan.offset;
    if (char === '[') yield* parseList(scan, builder, shape, 0);
    else if (char === '{') yield* parseObject(scan, builder, shape, 0);
    else throw new ParseFailure(char === '' ? 'cut' : 'not-a-call');
    builder.setRange(from);
    // If a closing marker must follow, it is looked for after surplus braces.
    if (shape.unmarked || shape.closingMarkers.length === 0) yield* dropSurplusBraces(scan, builder);
    if (!(yield* anotherFollows(scan))) return;
  }
}

/** "…}; {", "…}⏎{": consecutive values. */
function* anotherFollows(scan: Scanner): Step<boolean> {
  const next = yield* scan.afterSpace(1);
  if (next === '{') return true;
  if (next !== ';' && next !== ',') return false;
  const ahead = yield* scan.ahead(64);
  const behind = /^\s*[;,]\s*/.exec(ahead)?.[0] ?? '';
  if (ahead[behind.length] !== '{') return false;
  scan.at += behind.length;
  return true;
}

/** `{"name": …, "arguments": {…}}}`: drops surplus braces. */
function* dropSurplusBraces(scan: Scanner, builder: CallBuilder): Step<void> {
  if ((yield* scan.afterSpace(1)) !== '}') return;
  yield* scan.space();
  const from = scan.offset;
  yield* scan.run(/\}/, 64);
  builder.repair('drop-closers', from, scan.offset);
}

function* parseList(scan: Scanner, builder: CallBuilder, shape: JsonCallShape, depth: number): Step<void> {
  scan.at++;
  let isEmpty = true;
  for (;;) {
    yield* skipWhitespace(scan, builder);
    const char = yield* scan.peek();
    if (char === '{') {
      isEmpty = false;
      const from = scan.offset;
      yield* parseObject(scan, builder, shape, depth);
      builder.setRange(from);
      yield* dropSurplusBraces(scan, builder);
      continue;
    }
    // Without a marker an empty list is no block of calls, and another one behind it need not be parsed.
    if (isEmpty && shape.unmarked) throw new ParseFailure('not-a-call');
    if (char === ']') {
      scan.at++;
      return;
    }
    if (char === '' || (yield* isAtOneOf(scan, shape.closingMarkers))) {
      // "[{…}, {…}": the list was never closed
      builder.repair('add-closers', scan.offset, scan.offset);
      return;
    }
    if (shape.unmarked) throw new ParseFailure('not-a-call');
    yield* skipValue(scan, shape);
  }
}

/** State of an object that is parsed as a call, or as a wrapper of calls. */
interface CallObject {
  name: string | undefined;
  /** Arguments that came before the name. */
  early: readonly string[] | undefined;
  /** Members that are themselves arguments. */
  readonly flat: string[];
  /** The call whose arguments were parsed. */
  call: PendingCall | undefined;
  /** It contains other calls. */
  hasInner: boolean;
}

/** One member of such an object. */
interface CallMember {
  readonly key: string;
  /** Range of the key. */
  readonly range: Range;
  readonly depth: number;
  readonly object: CallObject;
}

function* parseObject(scan: Scanner, builder: CallBuilder, shape: JsonCallShape, depth: number): Step<void> {
  scan.at++;
  if ((yield* scan.afterSpace(1)) === '{') return yield* parseDoubled(scan, builder, shape, depth);
  const object: CallObject = { name: undefined, early: undefined, flat: [], call: undefined, hasInner: false };
  while (yield* memberFollows(scan, builder, shape, object)) {
    const from = scan.offset;
    const key = yield* parseKey(scan, builder, object.call);
    yield* parseMember(scan, builder, shape, { key, range: [from, scan.endWithoutBlanks], depth, object });
  }
  if (!object.call && !object.hasInner) object.call = openWithoutArguments(builder, shape, object);
  object.call?.close();
}

/** False at the object's end, or where it is missing. */
function* memberFollows(scan: Scanner, builder: CallBuilder, shape: JsonCallShape, object: CallObject): Step<boolean> {
  yield* skipWhitespace(scan, builder);
  const char = yield* scan.peek();
  if (char === '}') {
    scan.at++;
    return false;
  }
  const isOver = char === '' || (yield* isAtOneOf(scan, shape.closingMarkers)) || (char === ']' && object.call);
  if (!isOver) return true;
  // the arguments are complete, the object around them is not
  if (!object.call && !object.hasInner) throw new ParseFailure('cut');
  builder.repair(char === '' ? 'close-wrapper' : 'add-closers', scan.offset, scan.offset);
  return false;
}

/**
 * Selects the parser of a member's value by its key. Not a generator: each further one would be resumed for every piece
 * of text.
 */
function parseMember(scan: Scanner, builder: CallBuilder, shape: JsonCallShape, member: CallMember): Step<void> {
  const { key, object } = member;
  const role = roleOf(key, shape);
  if (role === 'name' && object.name === undefined && !object.call) return parseName(scan, builder, shape, member);
  if (role === 'args' && !object.call && object.early === undefined)
    return parseArgumentsMember(scan, builder, shape, member);
  if (role === 'function' || role === 'calls') return parseInner(scan, builder, shape, { ...member, role });
  if (object.call || object.hasInner) return skipValue(scan, shape);
  return parseOther(scan, builder, shape, { ...member, role });
}

/** Parses a parameter beside the name, an irrelevant member, or a tool's declaration. */
function* parseOther(
  scan: Scanner,
  builder: CallBuilder,
  shape: JsonCallShape,
  member: CallMember & { readonly role: Role | undefined },
): Step<void> {
  const { key, role, object } = member;
  if (role === 'schema' && (yield* scan.peek()) === '{') throw new ParseFailure('not-a-call');
  if (isFlatArgument(builder, shape, object.name, key)) {
    const json = (yield* parseEarly(scan, builder)).join('');
    if (key !== 'type' || json !== '"function"') object.flat.push(`${quoted(key)}: ${json}`);
  } else if (role === 'ignored') yield* skipValue(scan, shape);
  else yield* parseUnknownMember(scan, builder, shape, member);
}

/** `"name": "read_file"`, perhaps after its arguments. */
function* parseName(
  scan: Scanner,
  builder: CallBuilder,
  shape: JsonCallShape,
  { key, range, object }: CallMember,
): Step<void> {
  if (key !== shape.nameKey) builder.repair('argument-key', ...range);
  object.name = yield* parseText(scan, builder);
  if (object.early) object.call = openWith(builder, shape, object.name, object.early);
}

/** `"arguments": {…}`, perhaps before its name. */
function* parseArgumentsMember(
  scan: Scanner,
  builder: CallBuilder,
  shape: JsonCallShape,
  { key, range, object }: CallMember,
): Step<void> {
  const { name } = object;
  if (name !== undefined && (yield* schemaAhead(scan, () => toolNamed(builder, name))))
    throw new ParseFailure('not-a-call');
  if (key !== shape.argumentsKey) builder.repair('argument-key', ...range);
  if (name === undefined) {
    object.early = yield* parseEarly(scan, builder);
    return;
  }
  if (shape.unmarked && !/["{]/.test(yield* scan.peek()) && (yield* fenceAhead(scan)) === 0)
    throw new ParseFailure('not-a-call');
  object.call = open(builder, shape, name);
  yield* parseMarkedArguments(scan, object.call, shape);
}

/** `"read_file": {…}`: the key is a tool's name; or an irrelevant member. */
function* parseUnknownMember(
  scan: Scanner,
  builder: CallBuilder,
  shape: JsonCallShape,
  { key, range, object }: CallMember,
): Step<void> {
  const tool = builder.tools.get(key);
  const isCall = !object.name && (shape.nameIsKey || tool) && (yield* objectAhead(scan));
  if (!isCall) {
    if (shape.unmarked || object.name === undefined) throw new ParseFailure('not-a-call');
    return yield* skipValue(scan, shape);
  }
  if (yield* schemaAhead(scan, () => tool)) throw new ParseFailure('not-a-call');
  if (!shape.nameIsKey) {
    if (shape.unmarked) throw new ParseFailure('not-a-call');
    builder.repair('argument-key', ...range);
  }
  const call = builder.open(key);
  yield* parseMarkedArguments(scan, call, shape);
  if (tool) {
    call.close();
    object.hasInner = true;
  } else {
    object.call = call;
  }
}

/** True if an object comes next, which may be in a string or in a fence. */
function* objectAhead(scan: Scanner): Step<boolean> {
  const next = yield* scan.peek();
  return next === '{' || (next === '"' && (yield* scan.isAhead('"{'))) || (yield* fenceAhead(scan)) > 0;
}

/** `{"name": "list_files"}`, or one whose arguments are beside its name. */
function openWithoutArguments(builder: CallBuilder, shape: JsonCallShape, { name, flat }: CallObject): PendingCall {
  if (name === undefined) throw new ParseFailure('not-a-call');
  if (flat.length === 0 && shape.unmarked && !needsNoArguments(builder, name)) throw new ParseFailure('not-a-call');
  const call = open(builder, shape, name);
  if (flat.length > 0) {
    call.repairWhole('argument-key');
    call.write(`{${flat.join(', ')}}`);
  }
  return call;
}

/** Opens a call whose arguments came before its name. */
function openWith(builder: CallBuilder, shape: JsonCallShape, name: string, early: readonly string[]): PendingCall {
  const json = early.join('');
  if (isSchema(json, toolNamed(builder, name))) throw new ParseFailure('not-a-call');
  const call = open(builder, shape, name);
  call.write(json);
  return call;
}

const toolNamed = (builder: CallBuilder, name: string | undefined): Tool | undefined =>
  name === undefined ? undefined : resolveName(name, builder.tools).tool;

/** `{{"name": …}}`: braces doubled, as in templates. */
function* parseDoubled(scan: Scanner, builder: CallBuilder, shape: JsonCallShape, depth: number): Step<void> {
  if (depth >= deepest) throw new ParseFailure('not-a-call');
  const from = scan.offset;
  yield* skipBlank(scan, builder);
  yield* parseObject(scan, builder, shape, depth + 1);
  builder.repair('unwrap-call', from, from + 1);
  yield* skipBlank(scan, builder);
  yield* scan.takeText('}');
}

const parseMarkedArguments = (scan: Scanner, call: PendingCall, { closingMarkers, quote }: JsonCallShape): Step<void> =>
  parseArguments(scan, call, closingMarkers, quote === undefined ? {} : { quote });

/** `{"name": "search_files", "pattern": "*.py"}`: a parameter of the tool beside the name. */
function isFlatArgument(builder: CallBuilder, shape: JsonCallShape, name: string | undefined, key: string): boolean {
  if (name === undefined || (shape.unmarked && !isOffered(builder, name))) return false;
  return isParameter(toolNamed(builder, name), key);
}

/** A name alone is a call only if it is exactly that of a tool that requires nothing. */
export function needsNoArguments(builder: CallBuilder, name: string): boolean {
  const tool = builder.tools.get(name);
  return tool !== undefined && !(builder.tools instanceof OpenTools) && requiredNames(tool).length === 0;
}

/** `{"function": {…}}`, `{"tool_calls": […]}`, or the name itself under `function`. */
function* parseInner(
  scan: Scanner,
  builder: CallBuilder,
  shape: JsonCallShape,
  { role, range, depth, object }: CallMember & { readonly role: 'function' | 'calls' },
): Step<void> {
  const char = yield* scan.peek();
  if (role === 'function' && (char === '"' || char === "'")) {
    builder.repair('argument-key', ...range);
    object.name ??= yield* parseText(scan, builder);
    if (!object.call && !object.hasInner && object.early)
      object.call = openWith(builder, shape, object.name, object.early);
    return;
  }
  if (depth >= deepest || (char !== '{' && char !== '[')) throw new ParseFailure('not-a-call');
  if (!shape.underToolCalls || role !== 'calls') builder.repair('unwrap-call', ...range);
  if (char === '[') yield* parseList(scan, builder, shape, depth + 1);
  else yield* parseObject(scan, builder, shape, depth + 1);
  object.hasInner = true;
}

function open(builder: CallBuilder, shape: JsonCallShape, name: string): PendingCall {
  if (shape.unmarked && !isOffered(builder, name) && !mayFollow(builder)) throw new ParseFailure('not-a-call');
  return builder.open(name);
}

/** At the answer's start calls are held until one has a name on offer: that may come after this one. */
const mayFollow = ({ openingMarker, own, tools }: CallBuilder): boolean =>
  openingMarker.at === 'answer' && !own && !(tools instanceof OpenTools);

/** `functions.NAME`: the form in which some models' prompts name the tools. */
export const withoutNamespace = (name: string): string => name.replace(/^(?:functions|default_api)(?:\.|::?)/, '');

/** Without a marker only a name on offer makes a call; a merely similar one only in the model's own dialect. */
export function isOffered(builder: CallBuilder, name: string): boolean {
  if (builder.tools.get(name)) return true;
  const bare = withoutNamespace(name.trim()).replace(/\(\)$/, '');
  if (builder.tools.get(bare)) return true;
  if (!builder.own) return false;
  const fold = (one: string) => one.toLowerCase().replace(/[_\-.]/g, '');
  return builder.tools.list.some((tool) => fold(tool.name) === fold(bare));
}

/** The role of a key in a call's object; undefined if it has none. */
export function roleOf(key: string, shape: JsonCallShape): Role | undefined {
  if (key === shape.nameKey) return 'name';
  if (key === shape.argumentsKey) return 'args';
  return Object.hasOwn(roles, key) ? roles[key] : undefined;
}

/** A key and its colon. */
function* parseKey(scan: Scanner, builder: CallBuilder, call: PendingCall | undefined): Step<string> {
  const from = scan.offset;
  const char = yield* scan.peek();
  let key: string;
  if (/["'`“”‘’]/.test(char)) {
    key = yield* parseText(scan, builder);
  } else {
    key = yield* scan.run(/[\w.$-]/, 128);
    if (key === '') throw new ParseFailure(call ? 'broken' : 'not-a-call');
    builder.repair('quote-keys', from, scan.offset);
  }
  yield* skipBlank(scan, builder);
  if (!(yield* scan.takeText(':')))
    throw new ParseFailure((yield* scan.peek()) === '' ? 'cut' : call ? 'broken' : 'not-a-call');
  yield* skipBlank(scan, builder);
  return key;
}

/** A string, decoded. */
export function* parseText(scan: Scanner, builder: CallBuilder): Step<string> {
  // An object, not a string, stands behind the fence; its first quotes would be read as an empty string.
  if ((yield* fenceAhead(scan)) > 0) throw new ParseFailure('not-a-call');
  const parts: string[] = [];
  const value = new JsonParser(scan, {
    out: (json) => parts.push(json),
    repair: (rule, from, to) => builder.repair(rule, from, to),
  });
  if (!(yield* scan.feedConsumer(value))) throw new ParseFailure('cut');
  if (value.broken) throw new ParseFailure('not-a-call');
  const read: unknown = JSON.parse(parts.join(''));
  if (typeof read !== 'string') throw new ParseFailure('not-a-call');
  return read;
}

/** Arguments that come before the name. */
function* parseEarly(scan: Scanner, builder: CallBuilder): Step<string[]> {
  const parts: string[] = [];
  const fenced = yield* takeFence(scan, builder);
  const value = new JsonParser(scan, {
    out: (json) => parts.push(json),
    repair: (rule, from, to) => builder.repair(rule, from, to),
  });
  if (!(yield* scan.feedConsumer(value))) throw new ParseFailure('cut');
  if (value.broken) throw new ParseFailure('broken');
  if (fenced) yield* takeFenceEnd(scan);
  return parts;
}

function* skipValue(scan: Scanner, shape: JsonCallShape): Step<void> {
  const value = new JsonParser(scan, { out: () => {}, repair: () => {}, stopsAt: shape.closingMarkers });
  if (!(yield* scan.feedConsumer(value))) throw new ParseFailure('cut');
  if (value.broken) throw new ParseFailure('broken');
}

/** Skips white space, commas and invisible characters between members. */
function* skipWhitespace(scan: Scanner, builder: CallBuilder): Step<void> {
  do {
    scan.passSeparators();
    yield* skipBlank(scan, builder);
  } while (yield* scan.takeText(','));
}

/** Skips white space and comments. */
function* skipBlank(scan: Scanner, builder: CallBuilder): Step<void> {
  for (;;) {
    const from = scan.offset;
    if (yield* scan.space()) builder.repair('skip-invisible', from, scan.offset);
    const begin = scan.offset;
    const next = yield* scan.peek();
    if (next !== '/' && next !== '#') return;
    const end = next === '#' || (yield* scan.isAhead('//')) ? '\n' : (yield* scan.isAhead('/*')) ? '*/' : undefined;
    if (end === undefined) return;
    scan.at += end === '*/' ? 2 : 1;
    yield* findOneOf(scan, [end]);
    yield* scan.takeText(end);
    builder.repair('drop-comments', begin, scan.offset);
  }
}

export function* isAtOneOf(scan: Scanner, markers: readonly string[]): Step<boolean> {
  for (const marker of markers) if (yield* scan.isAhead(marker)) return true;
  return false;
}

/**
 * Parses from the end of the payload to the end of the closing marker: surplus brackets are dropped, a missing marker
 * is recorded.
 */
export function* parseClosingMarker(scan: Scanner, builder: CallBuilder, closes: readonly string[]): Step<void> {
  if (closes.length === 0) return;
  const ahead = yield* scan.afterSpace(1);
  if (ahead === '}' || (ahead === ']' && !closes.some((marker) => marker.startsWith(']')))) {
    const from = scan.offset;
    yield* scan.space();
    yield* scan.run(/[\s}\]]/, 64);
    builder.repair('drop-closers', from, scan.offset);
  }
  for (const marker of closes) {
    yield* scan.space();
    const from = scan.offset;
    const taken = yield* takeClosingTag(scan, marker);
    if (taken === 'loose') builder.repair('tolerate-tag', from, scan.offset);
    if (taken) return;
  }
  builder.repair('close-wrapper', scan.offset, scan.offset);
}
