import type { Tool } from '@callsmith/turn';
import { unescapeMarkup } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { isParameter } from '../finalize/tool-parameters.ts';
import { findOneOf } from '../find.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import type { ArgumentsWriter } from './arguments-writer.ts';

const attribute = /^\s+([A-Za-z_][\w.-]*)\s*=\s*(["'])/;

/** Longest tag whose attributes are parsed. */
const longestTag = 4096;
const whole = /^(?:\s+[A-Za-z_][\w.-]*\s*=\s*(?:"[^"]*"|'[^']*'))+\s*(?:\/>|>\s*<\/?([\w.-]+)>)/;
const begun =
  /^(?:\s+[A-Za-z_][\w.-]*\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(?:[\w.-]+\s*(?:=\s*(?:"[^"]*|'[^']*)?)?|\/|>\s*(?:<[\w./-]*)?)?$/;

/**
 * True if attributes follow the tag's name, the first of them a parameter of the tool, and the tag is the whole call,
 * or its end or parameters follow: ` path="a" />`, ` path="a"></NAME>`. Consumes nothing.
 */
export function* attributesAhead(scan: Scanner, behindName: string, tool: Tool): Step<boolean> {
  const name = attribute.exec(behindName)?.[1];
  if (name === undefined || !isParameter(tool, name)) return false;
  return yield* scan.look(longestTag, (ahead, all) => {
    const text = ahead.slice(/^[\w.-]*/.exec(ahead)?.[0].length);
    const inside = whole.exec(text);
    if (inside) return inside[1] === undefined || inside[1] === tool.name || isParameter(tool, inside[1]);
    return !all && begun.test(text) ? unsure : false;
  });
}

/**
 * Parses `path="a" n="1"` up to the end of the tag, as parameters with XML-escaped values. White space is consumed in
 * any case.
 */
export function* parseAttributes(scan: Scanner, call: PendingCall, out: ArgumentsWriter): Step<void> {
  for (;;) {
    const from = scan.offset;
    const found = attribute.exec(yield* scan.ahead(160));
    if (!found) {
      yield* scan.space();
      return;
    }
    const [begin, key, quote] = found as unknown as [string, string, string];
    scan.at += begin.length;
    scan.markUnlessMarked();
    const valueFrom = scan.offset;
    if (!(yield* findOneOf(scan, [quote]))) throw new ParseFailure('cut');
    const value = scan.since(valueFrom);
    yield* scan.takeText(quote);
    out.rawMember(key, undefined).end(unescapeMarkup(value), false);
    call.repair('tolerate-tag', from, scan.offset);
  }
}
