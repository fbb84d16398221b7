import { extractObject } from '../finalize/extract-arguments.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { findPattern, wordPattern } from '../find.ts';
import { JsonParser } from '../json-parser.ts';
import { decodeEscaped, parseLooseJson, parseWithRepairedQuotes } from '../parse-loose-json.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import { schemaAhead } from './echoed-schema.ts';

/** Options for the syntax of the arguments. */
export interface ArgumentsOptions {
  readonly python?: boolean;
  readonly quote?: string;
  readonly bareKeys?: boolean;
  readonly bareStrings?: boolean;
  /**
   * The dialect's own parser for arguments that are not JSON, called at their beginning; false if it fails, anywhere.
   */
  readonly parseInstead?: (scan: Scanner, call: PendingCall) => Step<boolean>;
}

/** The end of one call and the start of the next in a list of calls. */
const sibling =
  '\\}\\s{0,32},\\s{0,32}\\{\\s{0,32}"(?:name|function|type|id|tool_name|tool_call_id|arguments|parameters)"\\s{0,32}:';

/** The text between a block's closing marker and the quote at which its next call begins. */
const nextCall = /^\s*<[^<>\s]{1,64}>\s*[[{]\s*"?/;

/** Dots in place of a member or value. */
const elided = /[{[,:]\s*(?:\.{3}|…)\s*[,}\]]/;

/** Characters that were scanned for the end of unreadable arguments, beyond the arguments themselves. */
const charactersLookedAhead = new WeakMap<Scanner, number>();
/** Beyond this total, the end is searched only in the next few hundred characters. */
const mostLookedAhead = 64 * 1024;
const fewest = 512;

/**
 * Parses the arguments into `call`. If they are unreadable and the call is still held, the text up to the next of
 * `closes` is repaired as a whole, or else emitted as `input` (D-4). A tool's schema is not arguments: it fails with
 * `not-a-call`.
 */
export function* parseArguments(
  scan: Scanner,
  call: PendingCall,
  closes: readonly string[],
  options: ArgumentsOptions = {},
): Step<void> {
  scan.markUnlessMarked();
  const fenced = yield* takeFence(scan, call);
  const doubled = yield* takeSecondBrace(scan, call);
  yield* parseValue(scan, call, fenced ? ['```', ...closes] : closes, options);
  if (doubled) {
    yield* scan.space();
    yield* scan.takeText('}');
  }
  if (fenced) yield* takeFenceEnd(scan);
}

/** `{{"path": "a"}}`: braces doubled, as in templates. Takes the first one; false where there is only one. */
function* takeSecondBrace(scan: Scanner, call: PendingCall): Step<boolean> {
  if (!(yield* scan.isAhead('{{'))) return false;
  call.repair('unwrap-call', scan.offset, scan.offset + 1);
  scan.at++;
  return true;
}

/** Takes the fence that stands before the arguments' object; false where none does. */
export function* takeFence(scan: Scanner, into: Pick<PendingCall, 'repair'>): Step<boolean> {
  const fence = yield* fenceAhead(scan);
  if (fence === 0) return false;
  into.repair('strip-fence', scan.offset, scan.offset + fence);
  scan.at += fence;
  return true;
}

/** Takes the end of such a fence, if it was written. */
export function* takeFenceEnd(scan: Scanner): Step<void> {
  yield* scan.space();
  yield* scan.takeText('```');
}

/**
 * The pattern of a fence's first line, ```` ```json⏎ ````, or of what is left of it, `json⏎`: it may stand before the
 * bracket of the arguments.
 */
export const fencePattern = '(?:```\\w{0,16}|json)\\s{0,16}';

const fenceBeforeObject = new RegExp(`^${fencePattern}(?=\\{)`);
/** The pattern of a text that may become such a line; it matches the whole line as well. */
export const fenceBeginPattern = `(?:\`{0,2}|j|js|jso|${fencePattern})`;

const beginOfFence = new RegExp(`^${fenceBeginPattern}$`);

/** Length of a fence around the arguments object, up to its bracket; 0 if there is none. */
export const fenceAhead = (scan: Scanner): Step<number> =>
  scan.look(48, (ahead, all) => {
    return fenceBeforeObject.exec(ahead)?.[0].length ?? (!all && beginOfFence.test(ahead) ? unsure : 0);
  });

/** Parses the arguments, with no fence before them. */
function* parseValue(
  scan: Scanner,
  call: PendingCall,
  closes: readonly string[],
  options: ArgumentsOptions,
): Step<void> {
  const from = scan.offset;
  if (yield* schemaAhead(scan, () => call.tool)) throw new ParseFailure('not-a-call');
  const value = new JsonParser(scan, {
    out: (json) => {
      call.write(json);
      if (call.streaming) scan.unmark();
    },
    repair: (rule, start, end) => call.repair(rule, start, end),
    stopsAt: closes,
    ...(options.python && { python: true }),
    ...(options.quote !== undefined && { quote: options.quote }),
    ...(options.bareKeys && { bareKeys: true }),
    ...(options.bareStrings && { bareStrings: true }),
  });
  const complete = (yield* scan.feedConsumer(value)) || value.finishBare();
  if (!complete) {
    if (call.streaming || scan.cut || !(yield* closeOpenString(scan, call, closes, from)))
      throw new ParseFailure('cut');
    return;
  }
  if (value.broken || (yield* goesOnWrongly(scan))) yield* repairArguments(scan, call, closes, from, options);
}

/** `{"text": "a "}" b"}`: a string continues after a bracket that was not meant to close. */
function* goesOnWrongly(scan: Scanner): Step<boolean> {
  const next = yield* scan.afterSpace(1);
  return next === '"' || next === ':';
}

/** Repairs the argument text as a whole. */
function* repairArguments(
  scan: Scanner,
  call: PendingCall,
  closes: readonly string[],
  from: number,
  options: ArgumentsOptions,
): Step<void> {
  if (call.streaming) throw new ParseFailure('broken');
  if (yield* closeOpenString(scan, call, closes, from)) return;
  if (options.parseInstead) {
    scan.back(scan.offset - from);
    if (yield* options.parseInstead(scan, call)) return;
    scan.back(scan.offset - from);
  }
  const lookedAhead = charactersLookedAhead.get(scan) ?? 0;
  const limit = Math.max(fewest, mostLookedAhead - lookedAhead);
  const begin = scan.offset;
  let reached: number | undefined;
  let kept = from;
  try {
    const found = yield* findPattern(scan, new RegExp(`${wordPattern(closes)}|${sibling}`, 'g'), 256, limit);
    reached = scan.offset;
    takeUnreadable(scan, call, from, found ? 'found' : reached - begin < limit ? 'none' : 'not near');
    kept = scan.offset;
  } finally {
    // In `finally`, as a generator that waits for the end may be abandoned.
    charactersLookedAhead.set(scan, lookedAhead + (reached ?? scan.offset) - kept);
  }
}

/**
 * Consumes unreadable arguments, from `from` to here: repaired as a whole, or as `input`. `end`: if their end was
 * found.
 */
function takeUnreadable(scan: Scanner, call: PendingCall, from: number, end: 'found' | 'none' | 'not near'): void {
  const raw = scan.since(from);
  const read = parseWithRepairedQuotes(raw, call.tool, true);
  if (read) {
    for (const rule of read.rules) call.repair(rule, from, from + read.length);
    call.rewrite(read.json);
    scan.back(raw.length - read.length);
    return;
  }
  if (end === 'not near') throw new ParseFailure('broken');
  const to = endWithoutWrapper(raw);
  const inner = decodeEscaped(raw.slice(0, to));
  if (inner !== undefined) {
    call.repair('decode-arguments', from, from + to);
    call.rewrite(inner);
    scan.back(raw.length - to);
    return;
  }
  const text = raw.trim();
  const framed = text[0] === '{' ? undefined : extractObject(raw.slice(0, to).trim(), call.tool);
  if (framed !== undefined) {
    for (const rule of framed.rules) call.repair(rule, from, from + to);
    call.rewrite(framed.json);
    scan.back(raw.length - to);
    return;
  }
  if (end === 'none' && !/[}\]]$/.test(text)) throw new ParseFailure('cut');
  // "{"path": "a.js", ...}" only illustrates a call
  if (elided.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'))) throw new ParseFailure('broken');
  call.input = raw.slice(0, to).trim();
  scan.back(raw.length - to);
}

/**
 * `{"path": "a.ts}}</tool_call><tool_call>{"name": …`: a quote is missing, so that the string extends to the next
 * call's first one, or to the end of the answer. The string ends before the brackets at the block's end; false if there
 * is no sign of that.
 */
function* closeOpenString(scan: Scanner, call: PendingCall, closes: readonly string[], from: number): Step<boolean> {
  const atEnd = scan.ended && (yield* scan.peek()) === '';
  const raw = scan.since(from);
  for (const close of closes) {
    if (!close.startsWith('</')) continue;
    const at = raw.lastIndexOf(close);
    const behind = at < 0 ? '' : raw.slice(at + close.length);
    const begins = behind.trimStart().startsWith(`<${close.slice(2)}`) && nextCall.test(behind);
    if (at < 0 || !(begins || (atEnd && behind.trim() === ''))) continue;
    const text = raw.slice(0, at).trimEnd();
    const end = endWithoutBrackets(text);
    const json = parseLooseJson(`${text.slice(0, end)}"}`)?.json;
    if (json === undefined || text.length === end) continue;
    call.repair('escape-inner-quotes', from + end, from + end);
    call.rewrite(json);
    scan.back(raw.length - at);
    return true;
  }
  return false;
}

/** Start of the brackets at the end of a text. */
function endWithoutBrackets(text: string): number {
  let end = text.length;
  while (end > 0 && /[\s}\]]/.test(text[end - 1] as string)) end--;
  return end;
}

const openingBrace = 123;
const closingBrace = 125;

/** End of the text without the brackets that belong to the object around the arguments. */
function endWithoutWrapper(text: string): number {
  let surplus = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === closingBrace) surplus++;
    else if (code === openingBrace) surplus--;
  }
  let end = text.length;
  for (; surplus > 0; surplus--) {
    let at = end;
    while (at > 0 && /[\s\]]/.test(text[at - 1] as string)) at--;
    if (text[at - 1] !== '}') break;
    end = at - 1;
  }
  return end;
}
