import {
  Fault,
  isObject,
  type JsonObject,
  type JsonValue,
  type RequestedServer,
  type Tool,
  type ToolChoice,
  ToolTable,
} from '@callsmith/turn';
import { boundedList, invalidValue } from '../../checks.ts';
import { oncePerList } from '../../once-per-list.ts';
import {
  customTool,
  namespacedToolName,
  onlyAllowed,
  readDescription,
  readFunction,
  readSchema,
  readToolName,
} from '../../tools.ts';
import { clientTool } from './client-tools.ts';
import { readMcpServer } from './mcp-server.ts';

/** The tools of a request, and those that only OpenAI's service has. */
export interface ReadTools {
  readonly tools: ToolTable;
  readonly dropped: readonly string[];
  /** MCP servers whose tools are requested. */
  readonly servers: readonly RequestedServer[];
  /** The offered ones, as the response lists them. */
  readonly echoed: readonly JsonValue[];
}

/** A tool from the conversation, and its path. */
export interface LoadedTool {
  readonly tool: JsonValue;
  readonly path: string;
}

/**
 * Parses `tools`. Throws if only tools that run on OpenAI's servers are left. Functions are functions; free-text tools
 * become functions of one string; the tools of a namespace become functions with a longer name. The client's
 * declarations are in `declared`, so that its calls are returned in its own form. `loaded`: more tools, from the
 * conversation.
 */
export const readTools = (value: JsonValue | undefined, most: number, loaded: readonly LoadedTool[] = []): ReadTools =>
  loaded.length === 0 ? readDeclared(value, most) : readAll(value, most, loaded);

const readDeclared = oncePerList((value, most) => readAll(value, most, []));

function readAll(value: JsonValue | undefined, most: number, loaded: readonly LoadedTool[]): ReadTools {
  const tools: Tool[] = [];
  const dropped: string[] = [];
  const echoed: JsonValue[] = [];
  const servers: RequestedServer[] = [];
  const known = (tool: JsonObject, type: string, at: string): boolean => {
    const one = knownTool(tool, type, at);
    if (one) tools.push(one);
    else dropped.push(`${at} (${type.slice(0, 64)})`);
    return one !== undefined;
  };
  const read = (tool: JsonValue, at: string, namespace?: string): boolean => {
    if (!isObject(tool)) throw invalidValue(at, tool, 'a tool object', 'invalid_tool_schema');
    switch (tool.type ?? 'function') {
      case 'function':
        tools.push(functionTool(tool, at, namespace));
        return true;
      case 'custom':
        tools.push(freeTextTool(tool, at, namespace));
        return true;
      case 'namespace': {
        const name = readToolName(tool.name, `${at}.name`);
        for (const [index, inner] of boundedList(tool.tools, `${at}.tools`, most).entries())
          read(inner, `${at}.tools[${index}]`, name);
        return true;
      }
      case 'mcp':
        servers.push(readMcpServer(tool, at));
        return true;
      default:
        if (typeof tool.type !== 'string')
          throw invalidValue(`${at}.type`, tool.type, '"function"', 'invalid_tool_schema');
        return known(tool, tool.type, at);
    }
  };
  for (const [at, tool] of boundedList(value, 'tools', most).entries())
    if (read(tool, `tools[${at}]`)) echoed.push(echoOf(tool as JsonObject));
  for (const { tool, path } of loaded) read(tool, path);
  if (tools.length === 0 && servers.length === 0 && dropped.length > 0)
    throw notHere(dropped.join(', '), 'and no other tool is offered.', `${dropped[0]?.split(' ')[0]}.type`);
  return { tools: new ToolTable(loaded.length === 0 ? tools : firstOfEach(tools)), dropped, echoed, servers };
}

/** A tool that was loaded twice, or is declared as well, is one tool, in its first position. */
function firstOfEach(tools: readonly Tool[]): Tool[] {
  const names = new Set<string>();
  return tools.filter(({ name }) => {
    const isNew = !names.has(name);
    names.add(name);
    return isNew;
  });
}

/** A tool that runs at the client, as a function for the model. */
function knownTool(tool: JsonObject, type: string, at: string): Tool | undefined {
  const known = clientTool(type);
  if (known === undefined) return undefined;
  const declaredTool: Tool = { name: type, ...known.tool, declared: { as: 'client-tool', name: type } };
  if (type !== 'tool_search') return declaredTool;
  // If OpenAI's servers would search, nothing needs to be found: deferred tools are offered like all others.
  if (tool.execution !== 'client') return undefined;
  const { parameters } = tool;
  return {
    ...declaredTool,
    ...readDescription(tool, at),
    ...(parameters !== undefined && parameters !== null && { parameters: readSchema(parameters, `${at}.parameters`) }),
  };
}

/** What runs on OpenAI's servers is not available here. */
const notHere = (what: string, why: string, param: string): Fault =>
  new Fault('invalid_parameter', `${what}: such tools run on OpenAI's servers and are not supported here, ${why}`, {
    param,
  });

/** A function with every field that the response must have. */
function echoOf(tool: JsonObject): JsonObject {
  if (tool.type === 'mcp')
    return { allowed_tools: null, headers: null, require_approval: 'always', ...tool, server_label: tool.server_label };
  if ((tool.type ?? 'function') !== 'function') return tool;
  const { function: nested, ...flat } = tool;
  const from = isObject(nested) ? nested : flat;
  return {
    ...from,
    type: 'function',
    description: from.description ?? null,
    parameters: from.parameters ?? null,
    strict: from.strict ?? null,
  };
}

function functionTool(tool: JsonObject, at: string, namespace: string | undefined): Tool {
  // Some clients nest the function as in chat completions.
  const from = isObject(tool.function) ? tool.function : tool;
  const read = readFunction(from, from === tool ? at : `${at}.function`);
  if (namespace === undefined) return read;
  return {
    ...read,
    name: namespacedToolName(namespace, read.name),
    declared: { as: 'function', name: read.name, namespace },
  };
}

function freeTextTool(tool: JsonObject, at: string, namespace: string | undefined): Tool {
  const name = readToolName(tool.name, `${at}.name`);
  const declared = { as: 'custom' as const, name, ...(namespace !== undefined && { namespace }) };
  return customTool(namespace === undefined ? name : namespacedToolName(namespace, name), tool, declared);
}

/** Parses `tool_choice`. Throws if it requires a tool that runs on OpenAI's servers. */
export function readResponsesChoice(
  value: JsonValue | undefined,
  tools: ToolTable,
): { choice: ToolChoice; tools: ToolTable } {
  if (value === undefined || value === null) return { choice: 'auto', tools };
  if (value === 'auto' || value === 'none' || value === 'required') return { choice: value, tools };
  if (!isObject(value))
    throw invalidValue('tool_choice', value, '"auto", "none", "required" or {"type":"function","name":…}');
  switch (value.type) {
    case 'function':
    case 'custom': {
      const name = isObject(value.function) ? value.function.name : value.name;
      if (typeof name !== 'string') throw invalidValue('tool_choice.name', name, "the tool's name as a string");
      return { choice: { name: ownName(name, tools) }, tools };
    }
    case 'mcp': {
      const name = mcpName(value);
      if (name === undefined)
        throw invalidValue('tool_choice.name', value.name, 'the name of one tool as a string, beside its server_label');
      return { choice: { name }, tools };
    }
    case 'allowed_tools': {
      if (!Array.isArray(value.tools)) throw invalidValue('tool_choice.tools', value.tools, 'an array');
      const named = value.tools.filter(isObject);
      const names = named.flatMap((tool) => (typeof tool.name === 'string' ? [mcpName(tool) ?? tool.name] : []));
      const servers = named.flatMap((tool) =>
        tool.type === 'mcp' && typeof tool.name !== 'string' && typeof tool.server_label === 'string'
          ? [tool.server_label]
          : [],
      );
      return { choice: value.mode === 'required' ? 'required' : 'auto', tools: onlyAllowed(tools, names, servers) };
    }
    default:
      if (typeof value.type !== 'string') throw invalidValue('tool_choice.type', value.type, '"function"');
      if (tools.get(value.type)?.declared?.as === 'client-tool') return { choice: { name: value.type }, tools };
      throw notHere(JSON.stringify(value.type.slice(0, 64)), 'so no call of one can be demanded.', 'tool_choice.type');
  }
}

/** A tool of an MCP server, under the model's name for it; undefined: none is named. */
const mcpName = ({ type, server_label: server, name }: JsonObject): string | undefined =>
  type === 'mcp' && typeof server === 'string' && typeof name === 'string'
    ? namespacedToolName(server, name)
    : undefined;

/** The model's name for a tool that the client names in its own form. */
const ownName = (name: string, tools: ToolTable): string =>
  tools.get(name) ? name : (tools.list.find((tool) => tool.declared?.name === name)?.name ?? name);
