import type { Tool } from '@callsmith/turn';
import { JsonValue } from '../json-value.ts';
import { readLoose } from '../read-loose.ts';
import { GaveUp, type Scanner, type Step } from '../scanner.ts';
import type { HeardCall } from '../settle/heard-call.ts';

/** What the arguments' text may look like. */
export interface ArgumentsReading {
  readonly python?: boolean;
  readonly quote?: string;
  readonly bareKeys?: boolean;
  /** The dialect's own way to mend argument text as a whole. */
  readonly mendWhole?: (raw: string, tool: Tool | undefined) => string | undefined;
}

/** The start of the next call in a list of calls. */
const sibling = /\}\s*,\s*\{\s*"(?:name|function|type|id|tool_name|tool_call_id|arguments|parameters)"\s*:/;

/**
 * Reads the arguments' value into `call`. Where it cannot be read and the call is still held, the text up to the next of `closes` is mended as a whole,
 * or else goes out as `input` (D-4).
 */
export function* readArguments(
  scan: Scanner,
  call: HeardCall,
  closes: readonly string[],
  reading: ArgumentsReading = {},
): Step<void> {
  const from = scan.offset;
  scan.markUnlessMarked();
  const value = new JsonValue(scan, {
    out: (json) => {
      call.write(json);
      if (call.streaming) scan.unmark();
    },
    mend: (rule, start, end) => call.mend(rule, start, end),
    stops: closes,
    ...(reading.python && { python: true }),
    ...(reading.quote !== undefined && { quote: reading.quote }),
    ...(reading.bareKeys && { bareKeys: true }),
  });
  const complete = (yield* scan.feed(value)) || value.finishBare();
  if (!complete) throw new GaveUp('cut');
  if (value.broken || (yield* goesOnWrongly(scan))) yield* rescue(scan, call, closes, from, reading);
}

/** `{"text": "a "}" b"}`: behind a bracket that was not meant to close, a string goes on. */
function* goesOnWrongly(scan: Scanner): Step<boolean> {
  const next = yield* scan.afterSpace(1);
  return next === '"' || next === ':';
}

/** Mends the argument text as a whole. */
function* rescue(
  scan: Scanner,
  call: HeardCall,
  closes: readonly string[],
  from: number,
  reading: ArgumentsReading,
): Step<void> {
  if (call.streaming) throw new GaveUp('broken');
  const broken = scan.offset;
  const found = yield* findOneOf(scan, closes);
  if (call.streaming) throw new GaveUp('broken');
  const raw = scan.since(from);
  const read = readLoose(raw, call.tool, true);
  if (read) {
    for (const rule of read.rules) call.mend(rule, from, from + read.length);
    call.rewrite(read.json);
    scan.back(raw.length - read.length);
    return;
  }
  const mended = reading.mendWhole?.(raw.trim(), call.tool);
  if (mended !== undefined) {
    call.mend('restore-markers', from, from + raw.length);
    call.rewrite(mended);
    return;
  }
  const next = sibling.exec(raw.slice(broken - from));
  if (next) {
    const end = broken - from + next.index + 1;
    call.input = raw.slice(0, end - 1).trim();
    scan.back(raw.length - end);
    return;
  }
  const text = raw.trim();
  if (!found && !/[}\]]$/.test(text)) throw new GaveUp('cut');
  call.input = withoutWrapper(text);
}

/** Without the brackets that belong to the object round the arguments. */
function withoutWrapper(text: string): string {
  let closers = 0;
  let openers = 0;
  for (const char of text) {
    if (char === '}') closers++;
    else if (char === '{') openers++;
  }
  let cut = text;
  for (let surplus = closers - openers; surplus > 0; surplus--) {
    const next = cut.replace(/[\s\]]*\}\s*$/, '');
    if (next === cut) break;
    cut = next;
  }
  return cut.trim();
}

/** Goes to the first of `words`, or to the end of the text; true if one was found. */
export function* findOneOf(scan: Scanner, words: readonly string[]): Step<boolean> {
  const longest = Math.max(1, ...words.map((word) => word.length));
  for (;;) {
    let first = -1;
    for (const word of words) {
      const index = scan.text.indexOf(word, scan.at);
      if (index >= 0 && (first < 0 || index < first)) first = index;
    }
    if (first >= 0) {
      scan.at = first;
      return true;
    }
    if (scan.ended) {
      scan.at = scan.text.length;
      return false;
    }
    scan.at = Math.max(scan.at, scan.text.length - longest + 1);
    if (!(yield* scan.more())) {
      scan.at = scan.text.length;
      return false;
    }
  }
}
