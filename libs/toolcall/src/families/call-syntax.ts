import { isObject, type PastCall, type Tool } from '@callsmith/turn';
import type { CallBuilder } from '../dialect.ts';
import { quoted } from '../escape.ts';
import type { PendingCall } from '../finalize/pending-call.ts';
import { requiredNames } from '../finalize/tool-parameters.ts';
import { findOneOf } from '../find.ts';
import { members } from '../json-members.ts';
import { JsonParser } from '../json-parser.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';

const nameChar = /[\w.:-]/;

/** The name before `(`, if a call comes next; takes nothing. `call:` forms end with another bracket. */
export function* callAhead(scan: Scanner, open = '('): Step<string | undefined> {
  return yield* scan.look(512, (ahead, all) => {
    const name = /^\s*([A-Za-z_][\w.-]*)?\s*/.exec(ahead);
    const next = ahead[name?.[0].length ?? 0];
    if (next === undefined) return all ? undefined : unsure;
    return next === open ? name?.[1] : undefined;
  });
}

/** Reads `name(key=value, …)` from the name on. `ends` are markers that may end a call that cannot be read. */
export function* parseCallSyntax(scan: Scanner, builder: CallBuilder, ends: readonly string[]): Step<void> {
  yield* scan.space();
  const name = yield* scan.run(nameChar, 256);
  yield* scan.space();
  if (name === '' || !(yield* scan.takeText('('))) throw new ParseFailure('not-a-call');
  const call = builder.open(name.replace(/\.call$/, ''));
  scan.markUnlessMarked();
  const from = scan.offset;
  let count = 0;
  let positional = 0;
  for (;;) {
    yield* scan.space();
    if (yield* scan.takeText(',')) continue;
    if (yield* scan.takeText(')')) break;
    let key = yield* keyAhead(scan);
    if (key === undefined) {
      key = positionalKey(call.tool, positional++);
      if (key === undefined) return yield* wrap(scan, call, from, ends);
      // what is already sent out cannot rest on a guess
      if (call.streaming) throw new ParseFailure('broken');
      call.repair('positional-arguments', scan.offset, scan.offset);
    }
    call.write(`${count++ === 0 ? '{' : ', '}${quoted(key)}: `);
    if (!(yield* parsePythonValue(scan, call))) return yield* wrap(scan, call, from, ends);
  }
  call.write(count === 0 ? '{}' : '}');
  call.close();
}

/** `key=`, taken; undefined where a value stands without a key. */
function* keyAhead(scan: Scanner): Step<string | undefined> {
  const ahead = yield* scan.ahead(80);
  const found = /^([A-Za-z_][\w-]*)\s*=(?!=)\s*/.exec(ahead);
  if (!found) return undefined;
  scan.at += found[0].length;
  return found[1];
}

/** The parameter in that place, if the tool's required ones come first. */
function positionalKey(tool: Tool | undefined, place: number): string | undefined {
  const properties = tool?.parameters?.properties;
  if (!isObject(properties)) return undefined;
  const keys = Object.keys(properties);
  const needed = requiredNames(tool);
  if (!keys.slice(0, needed.length).every((key) => needed.includes(key))) return undefined;
  return keys[place];
}

/** Reads a value; neighbouring strings are one, as in Python. False if it cannot be read. */
function* parsePythonValue(scan: Scanner, call: PendingCall): Step<boolean> {
  let held = '';
  for (let first = true; ; first = false) {
    const value = new JsonParser(scan, {
      out: (json) => {
        // a string's end waits, as another string may follow
        let text = held + (first || json[0] !== '"' || begun ? json : json.slice(1));
        begun = true;
        held = '';
        if (value.done && isString) {
          held = '"';
          text = text.slice(0, -1);
        }
        call.write(text);
        if (call.streaming) scan.unmark();
      },
      repair: (rule, start, end) => call.repair(rule, start, end),
      python: true,
    });
    let begun = false;
    const ahead = yield* scan.ahead(3);
    const isString = /^[rbuf]{0,2}["']/i.test(ahead);
    if (!(yield* scan.feedConsumer(value)) && !value.finishBare()) throw new ParseFailure('cut');
    if (value.broken) return false;
    const next = yield* scan.afterSpace(1);
    if (isString && (next === '"' || next === "'")) {
      yield* scan.space();
      held = '';
      continue;
    }
    if (held !== '') call.write(held);
    if (next === '') throw new ParseFailure('cut');
    return next === ',' || next === ')';
  }
}

/** The text between the brackets goes out as `input`: to the end of the block, or of the line. */
function* wrap(scan: Scanner, call: PendingCall, from: number, ends: readonly string[]): Step<void> {
  if (call.streaming) throw new ParseFailure('broken');
  const found = yield* findOneOf(scan, [...ends, ')\n', ')]', ')']);
  if (!found) throw new ParseFailure('cut');
  call.input = scan.since(from).trim();
  yield* scan.takeText(')');
  call.close();
}

/** A past call as `name(key=value, …)`, with Python's literals or JSON's. */
export function renderCallSyntax(call: PastCall, python: boolean): string {
  const json = call.arguments.trim();
  const args =
    json === '' || json[0] !== '{'
      ? ''
      : members(json)
          .map(({ key, from, to }) => `${key}=${python ? pythonLiteral(json.slice(from, to)) : json.slice(from, to)}`)
          .join(', ');
  return `${call.name}(${args})`;
}

/** JSON as a Python literal: only the words differ, outside of strings. */
function pythonLiteral(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) =>
    token === 'true' ? 'True' : token === 'false' ? 'False' : token === 'null' ? 'None' : token,
  );
}

/** Call syntax needs keys that are names. */
export function callSyntaxCanExpress(call: PastCall): boolean {
  const json = call.arguments.trim();
  if (json[0] !== '{' || /\\u|\\\//.test(json)) return false;
  const keys = members(json).map(({ key }) => key);
  return new Set(keys).size === keys.length && keys.every((key) => /^[A-Za-z_]\w*$/.test(key));
}
