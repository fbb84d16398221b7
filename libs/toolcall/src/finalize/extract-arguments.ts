import { isObject, type Tool } from '@callsmith/turn';
import { quoted } from '../escape.ts';
import { members } from '../json-members.ts';
import { type LooseJson, parseLooseJson } from '../parse-loose-json.ts';
import { parseWhole } from '../parse-whole.ts';
import type { Rule } from '../rules.ts';
import { soleStringParameter, takesExactly } from './tool-parameters.ts';

/** An arguments object that was found in argument text, and the repairs that this took. */
export interface ExtractedArguments {
  readonly json: string;
  readonly rules: readonly Rule[];
}

/** Fences, control tokens and tags, any number of which may surround an object. */
const framing = /```\w{0,16}|<[|｜][^<>|｜\s]{1,64}[|｜]>|<\/?[\w:.-]{1,64}>|\[\/?[A-Z_]{1,32}\]/g;
const longestSentence = 80;
const longestFraming = 512;

/**
 * Extracts the arguments object from argument text that holds more than it. That is certain only if exactly one object
 * is there, surrounded only by framing or a short sentence, and its keys are parameters of the tool, including all
 * required ones. If the object is part of the tool's only string parameter, such as code, the whole text is that
 * parameter.
 */
export function extractArguments(text: string, tool: Tool | undefined): ExtractedArguments | undefined {
  const whole = parseLooseJson(text, tool);
  if (whole !== undefined) return whole.json[0] === '{' ? unwrapped(whole, tool) : undefined;
  const from = text.indexOf('{');
  if (from < 0) return undefined;
  const read = parseLooseJson(text.slice(from), tool, true);
  if (read?.json[0] !== '{') return undefined;
  const framed = alone(text, from, read, tool);
  if (framed !== undefined) return framed;
  const sole = from > 0 ? soleStringParameter(tool) : undefined;
  return sole === undefined ? undefined : { json: `{${quoted(sole)}:${quoted(text)}}`, rules: ['sole-parameter'] };
}

/** Extracts the only object in a text that begins with something else, by the same rule. */
export function extractObject(text: string, tool: Tool | undefined): ExtractedArguments | undefined {
  const from = text.indexOf('{');
  if (from < 0 || !isFraming(text.slice(0, from))) return undefined;
  const read = parseLooseJson(text.slice(from), tool, true);
  return read?.json[0] === '{' ? alone(text, from, read, tool) : undefined;
}

/** "Here it is: ```json⏎{"path": "a"}⏎```<|im_end|>": `read` stands at `from` with framing around it. */
function alone(text: string, from: number, read: LooseJson, tool: Tool | undefined): ExtractedArguments | undefined {
  const behind = text.slice(from + read.length);
  if (!isFraming(text.slice(0, from)) || !isFraming(behind) || behind.includes('{')) return undefined;
  const found = unwrapped(read, tool);
  return takesExactly(tool, keysOf(found.json))
    ? { json: found.json, rules: ['extract-arguments', ...found.rules] }
    : undefined;
}

/** True if the text after a complete arguments object adds nothing: framing, or a short sentence. */
export function isFraming(text: string): boolean {
  if (text.length > longestFraming) return false;
  const rest = text.replace(framing, ' ').trim();
  return rest.length <= longestSentence;
}

function unwrapped(read: ExtractedArguments, tool: Tool | undefined): ExtractedArguments {
  const inner = unwrapEnvelope(read.json, tool);
  return inner === undefined ? read : { json: inner, rules: [...read.rules, 'unwrap-call'] };
}

const envelopeKeys = new Set(['name', 'arguments', 'parameters', 'type', 'id', 'function', 'tool']);

/**
 * The arguments in `{"name": …, "arguments": {…}}`, if these keys are not the tool's own parameters; undefined if there
 * are none.
 */
export function unwrapEnvelope(json: string, tool: Tool | undefined): string | undefined {
  const value = parseWhole(json);
  if (!isObject(value) || takesExactly(tool, Object.keys(value))) return undefined;
  const keys = Object.keys(value);
  const holders = keys.filter((key) => key === 'arguments' || key === 'parameters');
  const [holder] = holders;
  if (holders.length !== 1 || holder === undefined || !keys.every((key) => envelopeKeys.has(key))) return undefined;
  const member = members(json).findLast(({ key }) => key === holder);
  if (!member) return undefined;
  const inner = value[holder];
  // As a string, the arguments were encoded twice.
  const text = typeof inner === 'string' ? inner.trim() : json.slice(member.from, member.to);
  return takesExactly(tool, keysOf(text)) ? text : undefined;
}

function keysOf(json: string): readonly string[] {
  const value = parseWhole(json);
  return isObject(value) ? Object.keys(value) : ['{'];
}
