import { isObject, parseJson } from '@callsmith/turn';
import { quoted, unescapeMarkup } from '../escape.ts';
import { isParsable, parseWhole } from '../parse-whole.ts';
import { extractArguments, unwrapEnvelope } from './extract-arguments.ts';
import { fitArguments } from './fit-arguments.ts';
import { isObviouslyValid } from './obviously-valid.ts';
import type { CallFailure, PendingCall } from './pending-call.ts';
import { requiredNames, soleStringParameter } from './tool-parameters.ts';
import { type ArgumentsVerdict, validateArguments } from './validate-arguments.ts';

/** The arguments with which a held call is emitted, or why it is not. */
export interface FinalizedArguments {
  readonly json: string;
  /** They are beyond repair and are emitted as `{"input": text}`. */
  readonly wrapped?: boolean;
  /** The call came without arguments, although some are required. */
  readonly missing?: boolean;
  /** The result of their check against the tool's schema, if it has one. */
  readonly verdict?: ArgumentsVerdict;
  readonly failure?: CallFailure;
}

/** Makes the final arguments of a call that was held to its end. */
export function finalizeArguments(call: PendingCall, proxyRules: boolean): FinalizedArguments {
  const written = call.parts.text();
  if (call.input === undefined && isAbsent(written)) return withoutArguments(call, proxyRules);
  const json = call.input === undefined ? objectText(call, written) : undefined;
  if (json !== undefined) return checked(call, json, proxyRules);
  const input = call.input ?? written;
  if (isAbsent(input)) return withoutArguments(call, proxyRules);
  const unescaped = unescapedObject(call, input);
  if (unescaped !== undefined) return checked(call, unescaped, proxyRules);
  return { json: `{"input":${quoted(input)}}`, wrapped: true };
}

const isAbsent = (text: string): boolean => /^(?:null|""|\[\s*\])?$/.test(text.trim());

/** A call without arguments. Clients answer a native one with an error that the model can use. */
function withoutArguments(call: PendingCall, proxyRules: boolean): FinalizedArguments {
  const names = requiredNames(call.tool);
  if (proxyRules || (call.source === 'text' && names.length > 0)) {
    const needs = names.length > 0 ? ` It requires: ${names.slice(0, 50).join(', ')}.` : '';
    const message = `The model called "${call.name}" without arguments.${needs}`;
    return {
      json: '',
      failure: { class: 'MissingArguments', detail: 'the call came without arguments', message },
    };
  }
  if (names.length === 0) call.repairWhole('no-arguments');
  const missing = names.length > 0;
  return { ...checked(call, '{}', proxyRules), missing };
}

/** Fits an arguments object to its schema, if values may be converted, and checks it. */
function checked(call: PendingCall, json: string, proxyRules: boolean): FinalizedArguments {
  const schema = call.tool?.parameters;
  if (schema === undefined) return { json };
  if (!isParsable(json)) return { json, verdict: 'unchecked' };
  if (isObviouslyValid(parseJson(json), schema)) return { json, verdict: 'valid' };
  if (proxyRules) return { json, verdict: validateArguments(json, schema) };
  const inner = unwrapEnvelope(json, call.tool);
  if (inner !== undefined) call.repairWhole('unwrap-call');
  const fitted = fitArguments(inner ?? json, schema, (rule) => call.repairWhole(rule));
  return { json: fitted, verdict: validateArguments(fitted, schema) };
}

/** The text of the arguments object; undefined if it is beyond repair. */
function objectText(call: PendingCall, written: string): string | undefined {
  const text = written.trim();
  if (text[0] === '{') return written;
  if (text[0] === '"') return decoded(call, parseJson(text) as string);
  return text[0] === '[' ? onlyElement(call, text) : undefined;
}

/** "`[{"path": "a"}]`", "`["a"]`": a one-element list holds the object, or the tool's only required parameter. */
function onlyElement(call: PendingCall, text: string): string | undefined {
  const list = parseWhole(text);
  if (!Array.isArray(list) || list.length !== 1) return undefined;
  const inner = text.slice(1, -1).trim();
  if (!isObject(list[0])) return soleParameter(call, inner);
  call.repairWhole('unwrap-array');
  return inner;
}

/** "`\"{\\\"path\\\": …}\"`": JSON inside a string. */
function decoded(call: PendingCall, inner: string): string | undefined {
  const text = encodedObject(inner.trim());
  if (isAbsent(text)) {
    call.input = '';
    return undefined;
  }
  const read = extractArguments(text, call.tool);
  if (read !== undefined) {
    call.repairWhole('decode-arguments');
    for (const rule of read.rules) call.repairWhole(rule);
    return read.json;
  }
  const sole = text[0] === '{' ? undefined : soleParameter(call, quoted(inner));
  if (sole === undefined) call.input = inner;
  return sole;
}

/** `{&quot;path&quot;: &quot;a&quot;}`: an HTML-escaped object; undefined if the text is none. */
function unescapedObject(call: PendingCall, text: string): string | undefined {
  if (!/^[^{]{0,100}\{\s{0,100}&(?:quot|#34);/.test(text)) return undefined;
  const read = extractArguments(unescapeMarkup(text), call.tool);
  if (read === undefined) return undefined;
  for (const rule of ['unescape-markup', ...read.rules] as const) call.repairWhole(rule);
  return read.json;
}

const mostEncodings = 3;

/** The object's text that was encoded as a string again and again; another text is returned as it is. */
function encodedObject(text: string): string {
  let decoded: unknown = text;
  for (let times = 0; times < mostEncodings && typeof decoded === 'string' && decoded[0] === '"'; times++)
    decoded = parseJson(decoded.trimEnd());
  return typeof decoded === 'string' && decoded[0] === '{' ? decoded : text;
}

/** A string, if the tool has exactly one required parameter and that is a string. */
function soleParameter(call: PendingCall, value: string): string | undefined {
  const name = soleStringParameter(call.tool);
  if (name === undefined || value[0] !== '"') return undefined;
  call.repairWhole('sole-parameter');
  return `{${quoted(name)}:${value}}`;
}
