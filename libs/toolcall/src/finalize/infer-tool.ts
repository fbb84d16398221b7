import { isObject, type JsonValue, type Tool, type ToolTable } from '@callsmith/turn';
import { parseLooseJson } from '../parse-loose-json.ts';
import { parseWhole } from '../parse-whole.ts';
import type { PendingCall } from './pending-call.ts';
import { takesExactly } from './tool-parameters.ts';

/**
 * The offered tool that accepts all keys of the arguments and whose required ones are present, if there is exactly one.
 */
export function toolByKeys(args: JsonValue | undefined, tools: ToolTable): Tool | undefined {
  if (!isObject(args)) return undefined;
  const keys = Object.keys(args);
  const fitting = tools.list.filter((tool) => takesExactly(tool, keys));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * The tool of a call that came without a name, as in some engines' errors: the one whose arguments these are, or the
 * one that `{"name": …, "arguments": {…}}` names. `text`: what came as the arguments. Undefined: no tool is certain.
 */
export function toolOfArguments(text: string, tools: ToolTable): Tool | undefined {
  const args = parseWhole(parseLooseJson(text.trim(), undefined)?.json ?? '');
  if (!isObject(args)) return undefined;
  const { name, arguments: json = args.parameters } = args;
  return toolByKeys(args, tools) ?? (typeof name === 'string' && json !== undefined ? tools.get(name) : undefined);
}

/** Names a call by its arguments, if they fit exactly one tool. */
export function inferTool(call: PendingCall, tools: ToolTable): void {
  const tool = toolByKeys(parseWhole(call.parts.text()), tools);
  if (!tool) return;
  call.name = tool.name;
  call.tool = tool;
  call.repairWhole('infer-tool');
}
