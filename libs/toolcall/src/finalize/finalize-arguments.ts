import { isObject, parseJson, type Tool } from '@callsmith/turn';
import { quoted } from '../escape.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { fitArguments } from './fit-arguments.ts';
import { isObviouslyValid } from './obviously-valid.ts';
import type { CallFailure, PendingCall } from './pending-call.ts';
import { validate } from './validate.ts';

/** How a held call's arguments go out, or why they do not. */
export interface FinalizedArguments {
  readonly json: string;
  readonly wrapped?: boolean;
  /** What of the schema they miss; the client answers for that. */
  readonly remark?: string;
  readonly failure?: CallFailure;
}

/** Makes the final arguments of a call that was held to its end. */
export function finalizeArguments(call: PendingCall, proxyRules: boolean): FinalizedArguments {
  const written = call.parts.text();
  const json = call.input === undefined ? objectText(call, written, proxyRules) : undefined;
  if (typeof json === 'object') return { json: '', failure: json };
  if (json === undefined) {
    const input = call.input ?? written;
    return input.trim() === ''
      ? { json: '', failure: missing(call) }
      : { json: `{"input":${quoted(input)}}`, wrapped: true };
  }
  if (proxyRules || call.tool?.parameters === undefined) return { json };
  if (isObviouslyValid(json, call.tool.parameters)) return { json };
  const fitted = fitArguments(json, call.tool.parameters, (rule) => call.repairWhole(rule));
  const remark = validate(fitted, call.tool.parameters);
  return remark === undefined ? { json: fitted } : { json: fitted, remark };
}

/** The text of the arguments object; undefined where it is beyond repair. */
function objectText(call: PendingCall, written: string, proxyRules: boolean): string | CallFailure | undefined {
  const text = written.trim();
  if (text === '' || text === 'null' || text === '""') {
    if (proxyRules || required(call.tool).length > 0) return missing(call);
    call.repairWhole('no-arguments');
    return '{}';
  }
  if (text[0] === '{') return written;
  if (text[0] === '"') return decoded(call, parseJson(text) as string, proxyRules);
  if (text[0] === '[') {
    const list = parseJson(text);
    if (Array.isArray(list) && list.length === 1 && isObject(list[0])) {
      call.repairWhole('unwrap-array');
      return text.slice(1, -1).trim();
    }
    return undefined;
  }
  return soleParameter(call, text);
}

/** "`\"{\\\"path\\\": …}\"`": JSON inside a string. */
function decoded(call: PendingCall, inner: string, proxyRules: boolean): string | CallFailure | undefined {
  const text = inner.trim();
  if (text === '' || text === 'null') return objectText(call, '', proxyRules);
  if (text[0] === '{' || text[0] === '"') {
    const read = parseLooseJson(text, call.tool);
    if (read !== undefined && read.json[0] === '{') {
      call.repairWhole('decode-arguments');
      for (const rule of read.rules) call.repairWhole(rule);
      return read.json;
    }
    if (text[0] === '{') {
      call.input = inner;
      return undefined;
    }
  }
  const sole = soleParameter(call, quoted(inner));
  if (sole === undefined) call.input = inner;
  return sole;
}

/** A bare value, where the tool has exactly one required parameter of type string. */
function soleParameter(call: PendingCall, value: string): string | undefined {
  const names = required(call.tool);
  const name = names[0];
  const properties = call.tool?.parameters?.properties;
  if (names.length !== 1 || name === undefined || !isObject(properties) || !Object.hasOwn(properties, name))
    return undefined;
  const schema = properties[name];
  if (!isObject(schema) || schema.type !== 'string' || value[0] !== '"') return undefined;
  call.repairWhole('sole-parameter');
  return `{${quoted(name)}:${value}}`;
}

function missing(call: PendingCall): CallFailure {
  const names = required(call.tool);
  const needs = names.length > 0 ? ` It requires: ${names.slice(0, 50).join(', ')}.` : '';
  return {
    class: 'MissingArguments',
    detail: 'the call came without arguments',
    message: `The model called "${call.name}" without arguments.${needs}`,
  };
}

/** The names that a tool's schema requires. */
export function required(tool: Tool | undefined): string[] {
  const names = tool?.parameters?.required;
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}
