import type { Tool } from '@callsmith/turn';
import { findPattern, wordPattern } from '../find.ts';
import { JsonValue } from '../json-value.ts';
import { readMended } from '../read-loose.ts';
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

/** The end of one call and the start of the next in a list of calls. */
const sibling =
  '\\}\\s{0,32},\\s{0,32}\\{\\s{0,32}"(?:name|function|type|id|tool_name|tool_call_id|arguments|parameters)"\\s{0,32}:';

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
  const found = yield* findPattern(scan, new RegExp(`${wordPattern(closes)}|${sibling}`, 'g'), 256);
  const raw = scan.since(from);
  const read = readMended(raw, call.tool, true);
  if (read) {
    for (const rule of read.rules) call.mend(rule, from, from + read.length);
    call.rewrite(read.json);
    scan.back(raw.length - read.length);
    return;
  }
  const text = raw.trim();
  const mended = reading.mendWhole?.(text, call.tool);
  if (mended !== undefined) {
    call.mend('restore-markers', from, from + raw.length);
    call.rewrite(mended);
    return;
  }
  if (!found && !/[}\]]$/.test(text)) throw new GaveUp('cut');
  const end = endWithoutWrapper(raw);
  call.input = raw.slice(0, end).trim();
  scan.back(raw.length - end);
}

/** Where the text ends without the brackets that belong to the object round the arguments. */
function endWithoutWrapper(text: string): number {
  let surplus = 0;
  for (const char of text) {
    if (char === '}') surplus++;
    else if (char === '{') surplus--;
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
