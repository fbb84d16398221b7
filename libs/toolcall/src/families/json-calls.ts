import type { Range } from '@callsmith/turn';
import type { Hearing } from '../dialect.ts';
import { JsonValue } from '../json-value.ts';
import { GaveUp, type Scanner, type Step } from '../scanner.ts';
import type { HeardCall } from '../settle/heard-call.ts';
import { readArguments } from './arguments.ts';

/** How a dialect writes calls as JSON. */
export interface JsonCallShape {
  /** Its key of the name. */
  readonly name: string;
  /** Its key of the arguments. */
  readonly args: string;
  /** Words that may end the block; where one comes after a complete member, missing closers are added. */
  readonly closes: readonly string[];
  /** Calls stand in an object under `tool_calls`, and so need no unwrapping. */
  readonly wrapped?: boolean;
  /** `{"NAME": {…}}`: the key is the name. */
  readonly keyed?: boolean;
  /** No marker says that this is a call: it is one only with an offered name and arguments. */
  readonly bare?: boolean;
}

type Role = 'name' | 'args' | 'function' | 'calls' | 'ignored';

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
  calls: 'calls',
  id: 'ignored',
  type: 'ignored',
  index: 'ignored',
  call_id: 'ignored',
  tool_call_id: 'ignored',
};

const deepest = 3;

/** Reads one call, several one after another (parted by space, `;` or `,`), or a list of calls. */
export function* readJsonCalls(scan: Scanner, hear: Hearing, shape: JsonCallShape): Step<void> {
  for (;;) {
    yield* skipGap(scan, hear);
    const char = yield* scan.peek();
    const from = scan.offset;
    if (char === '[') yield* readList(scan, hear, shape, 0);
    else if (char === '{') yield* readObject(scan, hear, shape, 0);
    else throw new GaveUp(char === '' ? 'cut' : 'not-a-call');
    hear.stands(from);
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

function* readList(scan: Scanner, hear: Hearing, shape: JsonCallShape, depth: number): Step<void> {
  scan.at++;
  for (;;) {
    yield* skipGap(scan, hear);
    const char = yield* scan.peek();
    if (char === ']') {
      scan.at++;
      return;
    }
    if (char === '{') {
      const from = scan.offset;
      yield* readObject(scan, hear, shape, depth);
      hear.stands(from);
      continue;
    }
    if (char === '' || (yield* seesOneOf(scan, shape.closes))) {
      // "[{…}, {…}": the list was never closed
      hear.mend('add-closers', scan.offset, scan.offset);
      return;
    }
    if (shape.bare) throw new GaveUp('not-a-call');
    yield* skipValue(scan, shape);
  }
}

function* readObject(scan: Scanner, hear: Hearing, shape: JsonCallShape, depth: number): Step<void> {
  scan.at++;
  const before = { name: undefined as string | undefined, early: undefined as string[] | undefined };
  let call: HeardCall | undefined;
  let inner = false;
  for (;;) {
    yield* skipGap(scan, hear);
    const char = yield* scan.peek();
    if (char === '}') {
      scan.at++;
      break;
    }
    if (char === '' || (yield* seesOneOf(scan, shape.closes)) || (char === ']' && depth >= 0 && call)) {
      // the arguments are whole, the object round them is not
      if (!call && !inner) throw new GaveUp('cut');
      hear.mend(char === '' ? 'close-wrapper' : 'add-closers', scan.offset, scan.offset);
      break;
    }
    const from = scan.offset;
    const key = yield* readKey(scan, hear, call);
    const place = [from, scan.solid] as const;
    const role = roleOf(key, shape);
    if (role === 'name' && before.name === undefined && !call) {
      if (key !== shape.name) hear.mend('argument-key', ...place);
      before.name = yield* readText(scan, hear);
      if (before.early) {
        call = open(hear, shape, before.name);
        for (const json of before.early) call.write(json);
      }
    } else if (role === 'args' && !call && before.early === undefined) {
      if (key !== shape.args) hear.mend('argument-key', ...place);
      if (before.name !== undefined) {
        if (shape.bare && !/["{]/.test(yield* scan.peek())) throw new GaveUp('not-a-call');
        call = open(hear, shape, before.name);
        yield* readArguments(scan, call, shape.closes);
      } else {
        before.early = yield* readEarly(scan, hear);
      }
    } else if (role === 'function' || role === 'calls') {
      inner = (yield* readInner(scan, hear, { shape, depth, role, before, place })) || inner;
      if (!call && !inner && before.name !== undefined && before.early) {
        call = open(hear, shape, before.name);
        for (const json of before.early) call.write(json);
      }
    } else if (role === 'ignored' || call || inner) {
      yield* skipValue(scan, shape);
    } else {
      const named = !before.name && (shape.keyed || hear.tools.get(key)) && (yield* scan.peek()) === '{';
      if (named && hear.tools.get(key)) {
        if (!shape.keyed) {
          if (shape.bare) throw new GaveUp('not-a-call');
          hear.mend('argument-key', ...place);
        }
        call = hear.open(key);
        yield* readArguments(scan, call, shape.closes);
        call.close();
        call = undefined;
        inner = true;
      } else if (shape.keyed && named) {
        call = hear.open(key);
        yield* readArguments(scan, call, shape.closes);
      } else {
        if (shape.bare || before.name === undefined)
          throw new GaveUp(before.name === undefined ? 'not-a-call' : 'not-a-call');
        yield* skipValue(scan, shape);
      }
    }
  }
  if (!call && !inner) {
    if (before.name === undefined || shape.bare) throw new GaveUp('not-a-call');
    call = open(hear, shape, before.name);
  }
  call?.close();
}

/** What stands under a key that may hold a call, or calls. */
interface Inner {
  readonly shape: JsonCallShape;
  readonly depth: number;
  readonly role: Role;
  readonly before: { name: string | undefined };
  /** Where the key stands. */
  readonly place: Range;
}

/** `{"function": {…}}`, `{"tool_calls": […]}`, or the name itself under `function`. */
function* readInner(scan: Scanner, hear: Hearing, { shape, depth, role, before, place }: Inner): Step<boolean> {
  const char = yield* scan.peek();
  if (role === 'function' && (char === '"' || char === "'")) {
    hear.mend('argument-key', ...place);
    before.name ??= yield* readText(scan, hear);
    return false;
  }
  if (depth >= deepest || (char !== '{' && char !== '[')) throw new GaveUp('not-a-call');
  if (!shape.wrapped || role !== 'calls') hear.mend('unwrap-call', ...place);
  if (char === '[') yield* readList(scan, hear, shape, depth + 1);
  else yield* readObject(scan, hear, shape, depth + 1);
  return true;
}

function open(hear: Hearing, shape: JsonCallShape, name: string): HeardCall {
  if (shape.bare && !isOffered(hear, name)) throw new GaveUp('not-a-call');
  return hear.open(name);
}

/** Without a marker only a name on offer makes a call; one that is merely alike only in the model's own dialect. */
export function isOffered(hear: Hearing, name: string): boolean {
  if (hear.tools.get(name)) return true;
  if (!hear.own) return hear.tools.get(name.replace(/^(?:functions|default_api)\./, '')) !== undefined;
  const fold = (one: string) =>
    one
      .toLowerCase()
      .replace(/^functions\./, '')
      .replace(/[_\-.]/g, '');
  return hear.tools.list.some((tool) => fold(tool.name) === fold(name));
}

function roleOf(key: string, shape: JsonCallShape): Role | undefined {
  if (key === shape.name) return 'name';
  if (key === shape.args) return 'args';
  const role = Object.hasOwn(roles, key) ? roles[key] : undefined;
  return role;
}

/** A key and its colon. */
function* readKey(scan: Scanner, hear: Hearing, call: HeardCall | undefined): Step<string> {
  const from = scan.offset;
  const char = yield* scan.peek();
  let key: string;
  if (/["'`“”‘’]/.test(char)) {
    key = yield* readText(scan, hear);
  } else {
    key = yield* scan.run(/[\w.$-]/, 128);
    if (key === '') throw new GaveUp(call ? 'broken' : 'not-a-call');
    hear.mend('quote-keys', from, scan.offset);
  }
  yield* skipBlank(scan, hear);
  if (!(yield* scan.word(':'))) throw new GaveUp((yield* scan.peek()) === '' ? 'cut' : call ? 'broken' : 'not-a-call');
  yield* skipBlank(scan, hear);
  return key;
}

/** A string, decoded. */
export function* readText(scan: Scanner, hear: Hearing): Step<string> {
  const parts: string[] = [];
  const value = new JsonValue(scan, {
    out: (json) => parts.push(json),
    mend: (rule, from, to) => hear.mend(rule, from, to),
  });
  if (!(yield* scan.feed(value))) throw new GaveUp('cut');
  if (value.broken) throw new GaveUp('not-a-call');
  const read: unknown = JSON.parse(parts.join(''));
  if (typeof read !== 'string') throw new GaveUp('not-a-call');
  return read;
}

/** Arguments that come before the name. */
function* readEarly(scan: Scanner, hear: Hearing): Step<string[]> {
  const parts: string[] = [];
  const value = new JsonValue(scan, {
    out: (json) => parts.push(json),
    mend: (rule, from, to) => hear.mend(rule, from, to),
  });
  if (!(yield* scan.feed(value))) throw new GaveUp('cut');
  if (value.broken) throw new GaveUp('broken');
  return parts;
}

function* skipValue(scan: Scanner, shape: JsonCallShape): Step<void> {
  const value = new JsonValue(scan, { out: () => {}, mend: () => {}, stops: shape.closes });
  if (!(yield* scan.feed(value))) throw new GaveUp('cut');
  if (value.broken) throw new GaveUp('broken');
}

/** White space, commas and what cannot be seen between members. */
function* skipGap(scan: Scanner, hear: Hearing): Step<void> {
  do yield* skipBlank(scan, hear);
  while (yield* scan.word(','));
}

function* skipBlank(scan: Scanner, hear: Hearing): Step<void> {
  const from = scan.offset;
  if (yield* scan.space()) hear.mend('skip-invisible', from, scan.offset);
}

export function* seesOneOf(scan: Scanner, words: readonly string[]): Step<boolean> {
  for (const word of words) if (yield* scan.sees(word)) return true;
  return false;
}

/** From the end of the payload to the end of the closer: surplus brackets are dropped, a missing closer is noted. */
export function* readClose(scan: Scanner, hear: Hearing, closes: readonly string[]): Step<void> {
  if (closes.length === 0) return;
  const ahead = yield* scan.afterSpace(1);
  if (ahead === '}' || (ahead === ']' && !closes.some((word) => word.startsWith(']')))) {
    const from = scan.offset;
    yield* scan.space();
    yield* scan.run(/[\s}\]]/, 64);
    hear.mend('drop-closers', from, scan.offset);
  }
  for (const word of closes) {
    const near = yield* scan.afterSpace(word.length);
    if (near !== word) continue;
    yield* scan.space();
    yield* scan.word(word);
    return;
  }
  hear.mend('close-wrapper', scan.offset, scan.offset);
}
