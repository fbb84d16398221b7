import { isObject, type Tool } from '@callsmith/turn';
import type { PendingCall } from '../finalize/pending-call.ts';
import { isParameter } from '../finalize/tool-parameters.ts';
import { parseWhole } from '../parse-whole.ts';
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

/** Text that only the schema of an object holds. */
const objectSchema = /["']type["']\s{0,32}:\s{0,32}["']object["']|["']properties["']\s{0,32}:\s{0,32}\{/;

/**
 * True if the text ahead is not arguments but a tool's schema that the model repeats from its prompt. Consumes nothing.
 *
 *     {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
 *                                         ^ here
 *
 * If the tool has a parameter named like the schema's first key, the text is arguments.
 */
export const schemaAhead = (scan: Scanner, toolOf: () => Tool | undefined): Step<boolean> =>
  scan.look(512, (ahead, all) => judge(ahead, all, toolOf));

/** The same for arguments that were already parsed. */
export const isSchema = (json: string, tool: Tool | undefined): boolean =>
  judge(json.slice(0, 512), true, () => tool) === true;

/** Keys under which a tool's declaration holds its schema. */
const schemaKeys = new Set(['properties', 'parameters', 'input_schema', 'inputSchema']);

const namesDeclaration = (key: string): boolean => keywords.has(key) || schemaKeys.has(key) || key === 'name';

/** True if a call's members are those of its tool's declaration, and not parameters. */
export function namesSchema(keys: Iterable<string>, tool: Tool | undefined): boolean {
  if (!isObject(tool?.parameters?.properties)) return false;
  let holdsSchema = false;
  for (const key of keys) {
    if (isParameter(tool, key) || !namesDeclaration(key)) return false;
    holdsSchema ||= schemaKeys.has(key);
  }
  return holdsSchema;
}

/** Fails with `not-a-call` if the arguments of a held call are its tool's declaration. */
export function refuseSchema(call: PendingCall): void {
  if (call.streaming || call.input !== undefined) return;
  const json = call.parts.text();
  const first = /^\{\s*"([\w$]+)"/.exec(json)?.[1];
  if (first === undefined || !namesDeclaration(first)) return;
  const args = parseWhole(json);
  if (isObject(args) && namesSchema(Object.keys(args), call.tool)) throw new ParseFailure('not-a-call');
}

function judge(ahead: string, all: boolean, toolOf: () => Tool | undefined): boolean | typeof unsure {
  const key = /^\{\s*["']([\w$]{1,32})["']\s*:/.exec(ahead)?.[1];
  if (key === undefined) return !all && /^(?:\{\s*(?:["'][\w$]{0,32}(?:["']\s*)?)?)?$/.test(ahead) ? unsure : false;
  if (!keywords.has(key) || isParameter(toolOf(), key)) return false;
  if (objectSchema.test(ahead)) return true;
  // this is the type of something else
  if (/^\{\s*["']type["']\s*:\s*(?!["']o)[^\s]./.test(ahead)) return false;
  return all ? false : unsure;
}
