import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { jsonEqual } from '../json-equal.ts';
import type { AcceptedCall, Expected, ReplyCall } from './recording.ts';

/**
 * Whether calls are the accepted ones, each once, in any order. `bfcl` compares as `ast_checker.py` of the Berkeley
 * Function-Calling Leaderboard: strings without case, spaces and the characters `,./-_*^`, members of objects by lists
 * of accepted values, a parameter may be omitted if `""` is accepted.
 */
export function isAccepted(
  calls: readonly ReplyCall[],
  { calls: wanted, rules }: Expected & { kind: 'calls' },
): boolean {
  if (calls.length !== wanted.length) return false;
  const open = [...wanted];
  return calls.every(({ name, arguments: json }) => {
    const args = parseJson(json);
    const at = open.findIndex((one) => one.name === name && isObject(args) && matches(args, one.arguments, rules));
    if (at >= 0) open.splice(at, 1);
    return at >= 0;
  });
}

function matches(args: JsonObject, wanted: AcceptedCall['arguments'], rules: 'bfcl' | 'exact'): boolean {
  const same = rules === 'bfcl' ? alike : jsonEqual;
  return (
    Object.entries(args).every(
      ([key, value]) => Object.hasOwn(wanted, key) && wanted[key]?.some((one) => same(value, one)),
    ) && Object.entries(wanted).every(([key, values]) => Object.hasOwn(args, key) || values.includes(''))
  );
}

function alike(value: JsonValue | undefined, expected: JsonValue): boolean {
  if (typeof value === 'string' && typeof expected === 'string') return plain(value) === plain(expected);
  if (Array.isArray(value) && Array.isArray(expected))
    return value.length === expected.length && value.every((each, at) => alike(each, expected[at] as JsonValue));
  if (isObject(value) && isObject(expected))
    return (
      Object.entries(value).every(
        ([key, each]) => Object.hasOwn(expected, key) && listed(expected[key]).some((other) => alike(each, other)),
      ) && Object.entries(expected).every(([key, values]) => Object.hasOwn(value, key) || listed(values).includes(''))
    );
  return jsonEqual(value, expected);
}

const listed = (values: JsonValue | undefined): JsonValue[] =>
  Array.isArray(values) ? values : values === undefined ? [] : [values];

const plain = (text: string): string =>
  text
    .replace(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
