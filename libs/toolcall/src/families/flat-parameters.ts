import { isObject, type Tool } from '@callsmith/turn';
import { PendingCall, unobserved } from '../finalize/pending-call.ts';
import { isParameter } from '../finalize/tool-parameters.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';
import { ArgumentsWriter } from './arguments-writer.ts';
import { parseRawValue } from './raw-member.ts';
import { beginsAt, followedBy } from './raw-value.ts';
import { turnEndAhead } from './turn-tokens.ts';

/** Most parameters that are looked for. */
const mostParameters = 256;
/** Most elements around them. */
const mostWrappers = 4;

/** True if the text begins with the tag of one of the tool's parameters. */
export function parameterBegins(text: string, tool: Tool | undefined): boolean {
  const name = /^<([A-Za-z_][\w.-]*)>/.exec(text)?.[1];
  return name !== undefined && isParameter(tool, name);
}

/**
 * Parses `<KEY>VALUE</KEY>…` up to and including the first of `ends`, the call's closing tags. Keys that are not the
 * tool's parameters are dropped.
 */
export function* parseFlatParameters(
  scan: Scanner,
  call: PendingCall,
  ends: readonly string[],
  out = new ArgumentsWriter(call),
): Step<void> {
  const properties = call.tool?.parameters?.properties;
  const declared = isObject(properties) ? properties : undefined;
  const keys = Object.keys(declared ?? {}).slice(0, mostParameters);
  const wrappers: string[] = [];
  const follow = declared ? [...ends, ...keys.map((key) => `<${key}>`)] : ['<'];
  for (;;) {
    yield* scan.space();
    if ((yield* scan.oneOf(ends)) !== undefined) break;
    if (!scan.cut && (yield* turnEndAhead(scan))) {
      call.repair('close-wrapper', scan.offset, scan.offset);
      break;
    }
    if (!(yield* scan.takeText('<'))) {
      const cut = (yield* scan.peek()) === '';
      if (!cut || scan.cut) throw new ParseFailure(cut ? 'cut' : 'broken');
      call.repair('close-wrapper', scan.offset, scan.offset);
      break;
    }
    const key = yield* scan.run(/[^<>\s]/, 128);
    // The model stopped by itself after `</read_f`.
    if (
      key.startsWith('/') &&
      !scan.cut &&
      ends.some((end) => end.startsWith(`<${key}`)) &&
      (yield* scan.peek()) === ''
    ) {
      call.repair('close-wrapper', scan.offset, scan.offset);
      break;
    }
    if (key === '' || !(yield* scan.takeText('>')))
      throw new ParseFailure((yield* scan.peek()) === '' ? 'cut' : 'broken');
    if (key.startsWith('/')) continue;
    const isDeclared = declared === undefined || Object.hasOwn(declared, key);
    const from = scan.offset;
    if (!isDeclared && wrappers.length < mostWrappers && (yield* parameterAhead(scan, call.tool))) {
      // `<args><path>…</path></args>`: the parameters are in an element of their own.
      call.repair('drop-undeclared', from, from);
      wrappers.push(`</${key}>`);
      continue;
    }
    yield* parseRawValue(
      scan,
      isDeclared ? call : ignored(),
      isDeclared ? out : new ArgumentsWriter(ignored()),
      key,
      undefined,
      {
        close: `</${key}>`,
        follow: wrappers.length > 0 ? [...follow, ...wrappers] : follow,
        skipsElements: declared !== undefined,
        stripsNewlines: true,
        impliedEnd: (text, at, ended) => endsCall(text, at, ended, ends),
      },
    );
    if (!isDeclared) call.repair('drop-undeclared', from, scan.offset);
  }
  out.end();
}

/** True if the tag of one of the tool's parameters comes next, after white space. */
export const parameterAhead = (scan: Scanner, tool: Tool | undefined): Step<boolean> =>
  scan.look(160, (ahead, all) => {
    const tag = ahead.trimStart();
    if (parameterBegins(tag, tool)) return true;
    return !all && /^(?:<[\w.-]*)?$/.test(tag) ? unsure : false;
  });

/** A value without its closing tag ends before the call's closing tag, if nothing follows that. */
function endsCall(text: string, at: number, ended: boolean, ends: readonly string[]): boolean | undefined {
  let maybe = false;
  for (const end of ends) {
    const closes = beginsAt(text, at, end, ended);
    if (closes) return followedBy(text, at + end.length, ends, ended, true);
    if (closes === undefined) maybe = true;
  }
  return maybe ? undefined : false;
}

/** Receives values that the tool has no parameter for. */
const ignored = (): PendingCall => new PendingCall('', '', undefined, 'text', unobserved);
