import { isObject, parseJson, type Tool } from '@callsmith/turn';
import type { PendingCall } from '../finalize/pending-call.ts';
import { isParameter } from '../finalize/tool-parameters.ts';
import { ParseFailure, type Scanner, type Step, unsure } from '../scanner.ts';

/** The keys with which a tool's schema may begin. */
const keywords = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'title',
  '$schema',
  '$defs',
  'definitions',
  'strict',
]);

/** What only a schema of an object holds. */
const objectSchema = /["']type["']\s{0,32}:\s{0,32}["']object["']|["']properties["']\s{0,32}:\s{0,32}\{/;

/**
 * True if what comes next is no arguments but the schema of a tool, which the model repeats from its prompt. Takes nothing.
 *
 *     {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
 *                                         ^ here
 *
 * Arguments that the tool declares under the schema's first key are arguments.
 */
export const schemaAhead = (scan: Scanner, toolOf: () => Tool | undefined): Step<boolean> =>
  scan.look(512, (ahead, all) => judge(ahead, all, toolOf));

/** The same of arguments that have been read already. */
export const isSchema = (json: string, tool: Tool | undefined): boolean =>
  judge(json.slice(0, 512), true, () => tool) === true;

/** Keys under which a tool's declaration holds its schema. */
const schemaKeys = new Set(['properties', 'parameters', 'input_schema', 'inputSchema']);

const namesDeclaration = (key: string): boolean => keywords.has(key) || schemaKeys.has(key) || key === 'name';

/** True if the members that a call names are those of its tool's declaration, and no parameters. */
export function namesSchema(keys: Iterable<string>, tool: Tool | undefined): boolean {
  if (!isObject(tool?.parameters?.properties)) return false;
  let holdsSchema = false;
  for (const key of keys) {
    if (isParameter(tool, key) || !namesDeclaration(key)) return false;
    holdsSchema ||= schemaKeys.has(key);
  }
  return holdsSchema;
}

/** Fails as no call where what was written of a held call is its tool's declaration. */
export function refuseSchema(call: PendingCall): void {
  if (call.streaming || call.input !== undefined) return;
  const json = call.parts.text();
  const first = /^\{\s*"([\w$]+)"/.exec(json)?.[1];
  if (first === undefined || !namesDeclaration(first)) return;
  const args = parseJson(json);
  if (isObject(args) && namesSchema(Object.keys(args), call.tool)) throw new ParseFailure('not-a-call');
}

function judge(ahead: string, all: boolean, toolOf: () => Tool | undefined): boolean | typeof unsure {
  const key = /^\{\s*["']([\w$]{1,32})["']\s*:/.exec(ahead)?.[1];
  if (key === undefined) return !all && /^(?:\{\s*(?:["'][\w$]{0,32}(?:["']\s*)?)?)?$/.test(ahead) ? unsure : false;
  if (!keywords.has(key) || isParameter(toolOf(), key)) return false;
  if (objectSchema.test(ahead)) return true;
  // the type of something else
  if (/^\{\s*["']type["']\s*:\s*(?!["']o)[^\s]./.test(ahead)) return false;
  return all ? false : unsure;
}
