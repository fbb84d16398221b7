import { Fault, type FaultCode, isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/** A value described for people: `a number (42)`. */
export function describeValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  switch (typeof value) {
    case 'string':
      return value === ''
        ? 'an empty string'
        : `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return `the boolean ${value}`;
    default:
      return 'an object';
  }
}

/** A fault with the path, what was expected and what was found. */
export function invalidValue(
  param: string,
  value: JsonValue | undefined,
  expected: string,
  code: FaultCode = 'invalid_parameter',
): Fault {
  const faultCode = value === undefined && code === 'invalid_parameter' ? 'missing_parameter' : code;
  return new Fault(faultCode, `${param}: expected ${expected}, found ${describeValue(value)}.`, { param });
}

/** A check of one optional parameter; null always counts as absent. */
type Check = (value: JsonValue, param: string) => void;

/** Throws `invalid_parameter` for the first parameter that fails its check. */
export function checkSampling(body: JsonObject, checks: Readonly<Record<string, Check>>): void {
  for (const name of Object.keys(checks)) {
    const value = body[name];
    if (value !== undefined && value !== null) checks[name]?.(value, name);
  }
}

export const boolean: Check = (value, param) => {
  if (typeof value !== 'boolean') throw invalidValue(param, value, 'true or false');
};

export const string: Check = (value, param) => {
  if (typeof value !== 'string') throw invalidValue(param, value, 'a string');
};

export const object: Check = (value, param) => {
  if (!isObject(value)) throw invalidValue(param, value, 'an object');
};

export const number =
  (least: number, most: number): Check =>
  (value, param) => {
    if (typeof value !== 'number' || value < least || value > most)
      throw invalidValue(param, value, `a number from ${least} to ${most}`);
  };

export const integer =
  (least: number, most: number = Number.MAX_SAFE_INTEGER): Check =>
  (value, param) => {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      throw invalidValue(
        param,
        value,
        most === Number.MAX_SAFE_INTEGER ? `an integer from ${least}` : `an integer from ${least} to ${most}`,
      );
  };

export const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, param) => {
    if (typeof value !== 'string' || !allowed.includes(value))
      throw invalidValue(param, value, `one of ${allowed.map((name) => JSON.stringify(name)).join(', ')}`);
  };

export const strings: Check = (value, param) => {
  if (!Array.isArray(value)) throw invalidValue(param, value, 'an array of strings');
  for (const [at, item] of value.entries()) string(item, `${param}[${at}]`);
};

export const stringOrStrings: Check = (value, param) => {
  if (typeof value !== 'string') strings(value, param);
};

/** A list in the body, limited in length; `[]` if the client sent none. */
export function boundedList(value: JsonValue | undefined, param: string, most: number): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidValue(param, value, 'an array');
  if (value.length > most)
    throw new Fault('invalid_parameter', `${param}: ${value.length} entries; at most ${most} are allowed.`, { param });
  return value;
}

/**
 * Walks a parsed body once: throws `invalid_body` if it is nested deeper than `maxDepth`, and removes every own
 * `__proto__` key. A duplicate key counts as its last value, for the checks and for the model server alike, since only
 * what was parsed is sent on.
 */
export function checkNesting(value: JsonValue, maxDepth: number, depth = 1): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw new Fault('invalid_body', `The request body is nested deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) {
    for (const item of value) checkNesting(item, maxDepth, depth + 1);
    return;
  }
  for (const key in value) {
    if (key === '__proto__') delete value[key];
    else checkNesting(value[key] as JsonValue, maxDepth, depth + 1);
  }
}
