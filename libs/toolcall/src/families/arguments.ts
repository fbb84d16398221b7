import type { Tool } from '@callsmith/turn';
import type { PendingCall } from '../finalize/pending-call.ts';
import { findPattern, wordPattern } from '../find.ts';
import { JsonParser } from '../json-parser.ts';
import { parseWithRepairedQuotes } from '../parse-loose-json.ts';
import { ParseFailure, type Scanner, type Step } from '../scanner.ts';
import { schemaAhead } from './echoed-schema.ts';

/** What the arguments' text may look like. */
export interface ArgumentsOptions {
  readonly python?: boolean;
  readonly quote?: string;
  readonly bareKeys?: boolean;
  /** The dialect's own way to repair argument text as a whole. */
  readonly repairWhole?: (raw: string, tool: Tool | undefined) => string | undefined;
}

/** The end of one call and the start of the next in a list of calls. */
const sibling =
  '\\}\\s{0,32},\\s{0,32}\\{\\s{0,32}"(?:name|function|type|id|tool_name|tool_call_id|arguments|parameters)"\\s{0,32}:';

/**
 * Reads the arguments' value into `call`. Where it cannot be read and the call is still held, the text up to the next of `closes` is repaired as a whole,
 * or else goes out as `input` (D-4). A tool's schema is no arguments: it fails as no call.
 */
export function* parseArguments(
  scan: Scanner,
  call: PendingCall,
  closes: readonly string[],
  options: ArgumentsOptions = {},
): Step<void> {
  const from = scan.offset;
  scan.markUnlessMarked();
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
  });
  const complete = (yield* scan.feedConsumer(value)) || value.finishBare();
  if (!complete) throw new ParseFailure('cut');
  if (value.broken || (yield* goesOnWrongly(scan))) yield* repairArguments(scan, call, closes, from, options);
}

/** `{"text": "a "}" b"}`: behind a bracket that was not meant to close, a string goes on. */
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
  const found = yield* findPattern(scan, new RegExp(`${wordPattern(closes)}|${sibling}`, 'g'), 256);
  const raw = scan.since(from);
  const read = parseWithRepairedQuotes(raw, call.tool, true);
  if (read) {
    for (const rule of read.rules) call.repair(rule, from, from + read.length);
    call.rewrite(read.json);
    scan.back(raw.length - read.length);
    return;
  }
  const text = raw.trim();
  const repaired = options.repairWhole?.(text, call.tool);
  if (repaired !== undefined) {
    call.repair('restore-markers', from, from + raw.length);
    call.rewrite(repaired);
    return;
  }
  if (!found && !/[}\]]$/.test(text)) throw new ParseFailure('cut');
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
