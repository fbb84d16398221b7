import { isObject, type JsonObject, type PastCall, writeJson } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';
import { namespacedToolName } from '../../tools.ts';
import { calledTool } from './client-tools.ts';
import { mcpCallPrefix } from './output-items.ts';

/**
 * A call of an earlier response: of a function, of a tool with free text, or of a client tool. Throws if a field is
 * wrong.
 */
export function pastCall(item: JsonObject, path: string): PastCall {
  const id = callId(item, path);
  const called = calledTool(String(item.type));
  if (called) {
    const args = item[called.tool.member];
    return { id, name: called.name, arguments: JSON.stringify(isObject(args) ? args : {}) };
  }
  switch (item.type) {
    case 'custom_tool_call':
      if (typeof item.input !== 'string') throw invalidValue(`${path}.input`, item.input, 'a string');
      return { id, name: calledName(item, path), arguments: JSON.stringify({ input: item.input }) };
    default:
      return { id, name: calledName(item, path), arguments: argumentsOf(item, path) };
  }
}

/** A call of an MCP server's tool, under the model's name for it. Throws if a field is wrong. */
export function pastMcpCall(item: JsonObject, path: string): PastCall {
  const { id, server_label: server } = item;
  if (typeof id !== 'string' || id === '') throw invalidValue(`${path}.id`, id, "the item's id as a string");
  if (typeof server !== 'string' || server === '')
    throw invalidValue(`${path}.server_label`, server, "the server's name as a string");
  return {
    id: id.startsWith(mcpCallPrefix) ? id.slice(mcpCallPrefix.length) : id,
    name: namespacedToolName(server, calledName(item, path)),
    arguments: argumentsOf(item, path),
  };
}

/** An MCP server tool's result, as text. */
export function mcpResult({ output, error }: JsonObject): string {
  if (typeof output === 'string') return output;
  return `Error: ${typeof error === 'string' ? error : 'no result'}`;
}

/** The id that links a call to its output. Throws `invalid_tool_call_id`. */
export function callId(item: JsonObject, path: string): string {
  const id = item.call_id ?? (item.type === 'local_shell_call_output' ? item.id : undefined);
  if (typeof id !== 'string' || id === '')
    throw invalidValue(`${path}.call_id`, id, "the call's id as a string", 'invalid_tool_call_id');
  return id;
}

function calledName(item: JsonObject, path: string): string {
  if (typeof item.name !== 'string' || item.name === '')
    throw invalidValue(`${path}.name`, item.name, "the tool's name as a string");
  return typeof item.namespace === 'string' && item.namespace !== ''
    ? namespacedToolName(item.namespace, item.name)
    : item.name;
}

function argumentsOf(item: JsonObject, path: string): string {
  if (typeof item.arguments === 'string') return item.arguments;
  if (isObject(item.arguments)) return writeJson(item.arguments);
  throw invalidValue(`${path}.arguments`, item.arguments, 'a string of JSON');
}
