import { isObject, parseJson, type ToolTable } from '@callsmith/turn';
import type { HeardCall } from './heard-call.ts';
import { required } from './settle-arguments.ts';

/** Names the one offered tool that takes all keys of the arguments and has its required ones, if there is exactly one. */
export function inferTool(call: HeardCall, tools: ToolTable): void {
  const args = parseJson(call.parts.join(''));
  if (!isObject(args)) return;
  const keys = Object.keys(args);
  const fitting = tools.list.filter((tool) => {
    const properties = isObject(tool.parameters?.properties) ? tool.parameters.properties : {};
    return keys.every((key) => Object.hasOwn(properties, key)) && required(tool).every((key) => keys.includes(key));
  });
  const [tool] = fitting;
  if (fitting.length !== 1 || !tool) return;
  call.name = tool.name;
  call.tool = tool;
  call.mend('infer-tool', 0, 0);
}
