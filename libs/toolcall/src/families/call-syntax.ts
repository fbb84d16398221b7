import { isObject, type PastCall, type Tool } from '@callsmith/turn';
import type { Hearing } from '../dialect.ts';
import { quoted } from '../escape.ts';
import { findOneOf } from '../find.ts';
import { members } from '../json-members.ts';
import { JsonValue } from '../json-value.ts';
import { GaveUp, type Scanner, type Step, unsure } from '../scanner.ts';
import type { HeardCall } from '../settle/heard-call.ts';
import { required } from '../settle/settle-arguments.ts';

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

/** Reads `name(key=value, …)` from the name on. `ends` are words that may end a call that cannot be read. */
export function* readCallSyntax(scan: Scanner, hear: Hearing, ends: readonly string[]): Step<void> {
  yield* scan.space();
  const name = yield* scan.run(nameChar, 256);
  yield* scan.space();
  if (name === '' || !(yield* scan.word('('))) throw new GaveUp('not-a-call');
  const call = hear.open(name.replace(/\.call$/, ''));
  scan.markUnlessMarked();
  const from = scan.offset;
  let count = 0;
  let positional = 0;
  for (;;) {
    yield* scan.space();
    if (yield* scan.word(',')) continue;
    if (yield* scan.word(')')) break;
    let key = yield* keyAhead(scan);
    if (key === undefined) {
      key = positionalKey(call.tool, positional++);
      if (key === undefined) return yield* wrap(scan, call, from, ends);
      call.mend('positional-arguments', scan.offset, scan.offset);
    }
    call.write(`${count++ === 0 ? '{' : ', '}${quoted(key)}: `);
    if (!(yield* readPythonValue(scan, call))) return yield* wrap(scan, call, from, ends);
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
  const needed = required(tool);
  if (!keys.slice(0, needed.length).every((key) => needed.includes(key))) return undefined;
  return keys[place];
}

/** Reads a value; neighbouring strings are one, as in Python. False if it cannot be read. */
function* readPythonValue(scan: Scanner, call: HeardCall): Step<boolean> {
  let held = '';
  for (let first = true; ; first = false) {
    const value = new JsonValue(scan, {
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
      mend: (rule, start, end) => call.mend(rule, start, end),
      python: true,
    });
    let begun = false;
    const ahead = yield* scan.ahead(3);
    const isString = /^[rbuf]{0,2}["']/i.test(ahead);
    if (!(yield* scan.feed(value)) && !value.finishBare()) throw new GaveUp('cut');
    if (value.broken) return false;
    const next = yield* scan.afterSpace(1);
    if (isString && (next === '"' || next === "'")) {
      yield* scan.space();
      held = '';
      continue;
    }
    if (held !== '') call.write(held);
    if (next === '') throw new GaveUp('cut');
    return next === ',' || next === ')';
  }
}

/** The text between the brackets goes out as `input`: to the end of the block, or of the line. */
function* wrap(scan: Scanner, call: HeardCall, from: number, ends: readonly string[]): Step<void> {
  if (call.streaming) throw new GaveUp('broken');
  const found = yield* findOneOf(scan, [...ends, ')\n', ')]', ')']);
  if (!found) throw new GaveUp('cut');
  call.input = scan.since(from).trim();
  yield* scan.word(')');
  call.close();
}

/** A past call as `name(key=value, …)`, with Python's literals or JSON's. */
export function writeCallSyntax(call: PastCall, python: boolean): string {
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
export function callSyntaxSays(call: PastCall): boolean {
  const json = call.arguments.trim();
  if (json[0] !== '{' || /\\u|\\\//.test(json)) return false;
  const keys = members(json).map(({ key }) => key);
  return new Set(keys).size === keys.length && keys.every((key) => /^[A-Za-z_]\w*$/.test(key));
}
