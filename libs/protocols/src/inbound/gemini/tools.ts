import {
  Fault,
  isObject,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolChoice,
  ToolTable,
  type Turn,
} from '@callsmith/turn';
import { boundedList, invalidValue, oneOf, strings } from '../../checks.ts';
import { oncePerList } from '../../once-per-list.ts';
import { joinNames, onlyAllowed, readDescription, readSchema, readToolName, shortenedName } from '../../tools.ts';
import { member } from './members.ts';
import { objectAt } from './parts.ts';
import { jsonSchemaOf } from './schema.ts';

/** The tools of a request, and those that run only on Google's servers. */
export interface ReadTools {
  readonly tools: ToolTable;
  readonly dropped: readonly string[];
}

/** Parses `tools`. Throws if only tools that run on Google's servers are left. */
export const readTools = oncePerList((value, most): ReadTools => {
  const tools: Tool[] = [];
  const dropped: string[] = [];
  for (const [at, entry] of boundedList(value, 'tools', most).entries()) {
    const path = `tools[${at}]`;
    const tool = objectAt(entry, path);
    const declarations = member(tool, 'functionDeclarations');
    for (const [index, declared] of boundedList(declarations, `${path}.functionDeclarations`, most).entries())
      tools.push(readDeclaration(declared, `${path}.functionDeclarations[${index}]`));
    for (const name of Object.keys(tool))
      if (name !== 'functionDeclarations' && name !== 'function_declarations')
        dropped.push(`${path}.${name.slice(0, 64)}`);
  }
  if (tools.length === 0 && dropped.length > 0)
    throw new Fault(
      'invalid_parameter',
      `${dropped.join(', ')}: such tools run on Google's servers and are not supported here, and no functions are declared.`,
      { param: 'tools' },
    );
  if (tools.length > most)
    throw new Fault('invalid_parameter', `tools: ${tools.length} functions; at most ${most} are allowed.`, {
      param: 'tools',
    });
  return { tools: new ToolTable(tools), dropped };
});

function readDeclaration(value: JsonValue, at: string): Tool {
  if (!isObject(value)) throw invalidValue(at, value, 'a function declaration object', 'invalid_tool_schema');
  const given = readToolName(value.name, `${at}.name`);
  const name = shortenedName(given);
  const parameters = readParameters(value, at);
  return {
    name,
    ...readDescription(value, at),
    ...(parameters && { parameters }),
    ...(name !== given && { declared: { as: 'function', name: given } }),
  };
}

/** Parameters as JSON schema, or in this API's own form of it. */
function readParameters(declaration: JsonObject, at: string): JsonObject | undefined {
  const schema = member(declaration, 'parametersJsonSchema');
  if (schema !== undefined) return readSchema(schema, `${at}.parametersJsonSchema`);
  const { parameters } = declaration;
  if (parameters === undefined || parameters === null) return undefined;
  return readSchema(jsonSchemaOf(parameters) ?? parameters, `${at}.parameters`);
}

/** The client's name for a tool. */
export const clientName = ({ tools }: Turn, name: string): string => tools.get(name)?.declared?.name ?? name;

/** Parses `toolConfig`: the allowed tools, and the tool choice. */
export function readToolConfig(
  value: JsonValue | undefined,
  tools: ToolTable,
): { readonly choice: ToolChoice; readonly tools: ToolTable } {
  if (value === undefined) return { choice: 'auto', tools };
  const at = 'toolConfig.functionCallingConfig';
  const given = member(objectAt(value, 'toolConfig'), 'functionCallingConfig');
  if (given === undefined) return { choice: 'auto', tools };
  const config = objectAt(given, at);
  const mode = config.mode ?? 'AUTO';
  oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED')(mode, `${at}.mode`);
  if (mode === 'NONE') return { choice: 'none', tools };
  const names = allowedNames(member(config, 'allowedFunctionNames'), `${at}.allowedFunctionNames`, tools);
  const only = names.length > 0 ? onlyAllowed(tools, names) : tools;
  if (mode !== 'ANY') return { choice: 'auto', tools: only };
  return { choice: names.length === 1 ? { name: shortenedName(names[0] ?? '') } : 'required', tools: only };
}

function allowedNames(value: JsonValue | undefined, at: string, tools: ToolTable): readonly string[] {
  if (value === undefined) return [];
  strings(value, at);
  const names = value as readonly string[];
  for (const [index, name] of names.entries())
    if (!tools.get(shortenedName(name)))
      throw new Fault(
        'invalid_tool_choice',
        `${at}[${index}] names the function ${JSON.stringify(name.slice(0, 256))}, which is not declared in tools. Functions: ${joinNames(tools.list.map((tool) => tool.name))}.`,
        { param: `${at}[${index}]` },
      );
  return names;
}
