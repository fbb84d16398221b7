import {
  copyNumberSources,
  Fault,
  isObject,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolChoice,
  ToolTable,
} from '@callsmith/turn';
import { invalidValue } from './checks.ts';

const toolName = /^[\p{L}\p{N}_.:/@$-]{1,256}$/u;

/** Reads a tool's name; throws `invalid_tool_schema` at `param`. */
export function readToolName(value: JsonValue | undefined, param: string): string {
  if (typeof value !== 'string' || value === '')
    throw invalidValue(param, value, "the tool's name as a string", 'invalid_tool_schema');
  if (!toolName.test(value))
    throw invalidValue(param, value, 'a name of at most 256 letters, digits and _ . : / @ $ -', 'invalid_tool_schema');
  return value;
}

/** A name of at most 64 characters, which is what model servers allow: itself, or its beginning and a hash of it all. */
export function shortenedName(name: string): string {
  if (name.length <= 64) return name;
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return `${name.slice(0, 55)}_${(hash >>> 0).toString(16).padStart(8, '0')}`;
}

/** One name for a tool of a namespace. */
export const namespacedToolName = (namespace: string, name: string): string => shortenedName(`${namespace}__${name}`);

/** Reads what is common to function tools on every API; `at` is their place, e.g. `tools[0].function`. */
export function readFunction(from: JsonObject, at: string): Tool {
  const { parameters } = from;
  return {
    name: readToolName(from.name, `${at}.name`),
    ...readDescription(from, at),
    ...(parameters !== undefined && parameters !== null && { parameters: readSchema(parameters, `${at}.parameters`) }),
    ...extraMembers(from, at),
  };
}

/** Reads what every API has beside a tool's name and schema; `at` is the tool's place. Throws `invalid_tool_schema`. */
export function readDescription({ description, strict }: JsonObject, at: string): Pick<Tool, 'description' | 'strict'> {
  if (description !== undefined && description !== null && typeof description !== 'string')
    throw invalidValue(`${at}.description`, description, 'a string', 'invalid_tool_schema');
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    throw invalidValue(`${at}.strict`, strict, 'true or false', 'invalid_tool_schema');
  return {
    ...(typeof description === 'string' && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

const functionMembers = new Set(['type', 'function', 'name', 'description', 'parameters', 'strict']);

/** What we do not know of a function, by where it stands: `at` ends in `.function` where the API nests it. */
function extraMembers(from: JsonObject, at: string): Pick<Tool, 'extra'> {
  const extra = unknownMembers(from, functionMembers);
  if (extra === undefined) return {};
  return { extra: at.endsWith('.function') ? { function: extra } : { tool: extra } };
}

/** The members of an object that are not in `known`, if there are any. */
export function unknownMembers(from: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let extra: JsonObject | undefined;
  for (const key in from) {
    if (known.has(key) || from[key] === null || from[key] === undefined) continue;
    extra ??= {};
    extra[key] = from[key];
  }
  if (extra) copyNumberSources(from, extra);
  return extra;
}

/** D-18: only what makes a schema useless is refused; deeper oddities pass. */
export function readSchema(schema: JsonValue, at: string): JsonObject {
  if (!isObject(schema)) throw invalidValue(at, schema, 'a JSON schema object', 'invalid_tool_schema');
  const { type, properties, required } = schema;
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    throw invalidValue(`${at}.type`, type, '"object"', 'invalid_tool_schema');
  if (properties !== undefined && !isObject(properties))
    throw invalidValue(`${at}.properties`, properties, 'an object', 'invalid_tool_schema');
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string')))
    throw invalidValue(`${at}.required`, required, 'an array of strings', 'invalid_tool_schema');
  return schema;
}

/**
 * A free-text tool as the function that the model sees. Its grammar is shown and not enforced; chat completions nest it,
 * `{"type":"grammar","grammar":{"syntax","definition"}}`, and responses do not.
 */
export function customTool(
  name: string,
  { description, format }: JsonObject,
  declared: NonNullable<Tool['declared']>,
): Tool {
  const descriptions = [typeof description === 'string' ? description : '', grammarIn(format)].filter(
    (text) => text !== '',
  );
  return {
    name,
    ...(descriptions.length > 0 && { description: descriptions.join('\n\n') }),
    parameters: customParameters,
    declared,
  };
}

function grammarIn(format: JsonValue | undefined): string {
  const grammar = isObject(format) && isObject(format.grammar) ? format.grammar : format;
  if (!isObject(grammar) || typeof grammar.definition !== 'string') return '';
  return `The input must follow this ${typeof grammar.syntax === 'string' ? grammar.syntax : ''} grammar:\n${grammar.definition}`;
}

const customParameters: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of this tool as plain text.' } },
  required: ['input'],
};

/** Throws `invalid_tool_choice` where the choice names a tool that is not on offer, or demands a call and none is. */
export function checkChoice(choice: ToolChoice, tools: ToolTable): ToolChoice {
  const names = tools.list.map((tool) => tool.name);
  if (typeof choice === 'object' && !tools.get(choice.name))
    throw new Fault(
      'invalid_tool_choice',
      `tool_choice names the tool ${JSON.stringify(choice.name)}, which is not in tools. Tools: ${joinNames(names)}.`,
      { param: 'tool_choice' },
    );
  if (choice === 'required' && names.length === 0)
    throw new Fault(
      'invalid_tool_choice',
      'tool_choice is "required", but no tools are on offer. Send tools, or leave tool_choice out.',
      { param: 'tool_choice' },
    );
  return choice;
}

/** A few names for a message. */
export function joinNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  return names.length <= 20 ? names.join(', ') : `${names.slice(0, 20).join(', ')} and ${names.length - 20} more`;
}

/** Only the tools that the client allows this time, for `allowed_tools`; `servers`: MCP servers all of whose tools it allows. */
export function onlyAllowed(tools: ToolTable, names: readonly string[], servers: readonly string[] = []): ToolTable {
  const wanted = new Set(names);
  const list = tools.list.filter((tool) => wanted.has(tool.name) || wanted.has(tool.declared?.name ?? ''));
  return new ToolTable(list, { names, servers });
}
