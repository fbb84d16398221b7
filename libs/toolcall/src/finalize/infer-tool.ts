import { isObject, type JsonValue, parseJson, type Tool, type ToolTable } from '@callsmith/turn';
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

/** Names a call by its arguments, if they fit exactly one tool. */
export function inferTool(call: PendingCall, tools: ToolTable): void {
  const tool = toolByKeys(parseJson(call.parts.text()), tools);
  if (!tool) return;
  call.name = tool.name;
  call.tool = tool;
  call.repairWhole('infer-tool');
}
