import { isObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { Expectation, ExpectedCall } from './cases/probe-case.ts';
import { jsonEqual } from './json-equal.ts';

/** The answer that a client got. */
export interface ProbeAnswer {
  readonly text: string;
  readonly calls: readonly {
    readonly name: string;
    /** As JSON text. */
    readonly arguments: string;
    /** It satisfies its tool's schema. */
    readonly valid: boolean;
  }[];
}

/** Whether an answer is right, and if not, why, in a few words. */
export type Judgement = { readonly right: true } | { readonly right: false; readonly why: string };

/** Evaluates an answer: names, types and strings must be exactly as expected, in any order of calls and keys. */
export function judge(answer: ProbeAnswer, expects: Expectation): Judgement {
  switch (expects.kind) {
    case 'calls':
      return judgeCalls(answer, expects.calls);
    case 'any-call':
      if (answer.calls.length === 0) return wrong('no call');
      return answer.calls.some(({ valid }) => valid) ? right : wrong('no valid call');
    case 'tools':
      return judgeTools(answer, expects.names);
    case 'text':
      return judgeText(answer, expects);
  }
}

const right: Judgement = { right: true };
const wrong = (why: string): Judgement => ({ right: false, why });

function judgeCalls({ calls }: ProbeAnswer, expected: readonly ExpectedCall[]): Judgement {
  if (calls.length === 0) return wrong('no call');
  const open = [...expected];
  for (const { name, arguments: json } of calls) {
    const args = parseJson(json);
    const at = open.findIndex((one) => one.name === name && jsonEqual(args, one.arguments));
    if (at < 0) return wrong(difference(name, args, open));
    open.splice(at, 1);
  }
  return open.length === 0 ? right : wrong(`${calls.length} of ${expected.length} calls`);
}

function judgeTools({ calls }: ProbeAnswer, names: readonly string[]): Judgement {
  if (calls.length === 0) return wrong('no call');
  const open = [...names];
  for (const { name, valid } of calls) {
    const at = open.indexOf(name);
    if (at < 0) return wrong(names.includes(name) ? `one call too many: ${name}` : `called ${name}`);
    if (!valid) return wrong(`the arguments of ${name} do not satisfy its schema`);
    open.splice(at, 1);
  }
  return open.length === 0 ? right : wrong(`${calls.length} of ${names.length} calls`);
}

function difference(name: string, args: JsonValue | undefined, open: readonly ExpectedCall[]): string {
  const same = open.find((one) => one.name === name);
  if (same === undefined) return open.length === 0 ? `one call too many: ${name}` : `called ${name}`;
  if (!isObject(args)) return 'arguments are not a JSON object';
  const keys = [...new Set([...Object.keys(same.arguments), ...Object.keys(args)])];
  const key = keys.find((each) => !jsonEqual(args[each], same.arguments[each])) ?? '';
  if (!(key in args)) return `${key} is missing`;
  return key in same.arguments ? `${key} has another value` : `${key} is invented`;
}

function judgeText({ text, calls }: ProbeAnswer, { holds, asks }: Expectation & { kind: 'text' }): Judgement {
  if (calls[0]) return wrong(`called ${calls[0].name}`);
  if (text.trim() === '') return wrong('empty');
  const missing = holds.find((part) => !text.includes(part));
  if (missing !== undefined) return wrong(`the text lacks ${missing}`);
  return asks && !/[?？؟]/.test(text) ? wrong('asks nothing') : right;
}
