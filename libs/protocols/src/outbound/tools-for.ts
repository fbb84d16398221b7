import type { JsonObject, Tool, ToolTable } from '@callsmith/turn';
import type { OutboundName, Target } from '../outbound-adapter.ts';
import { accepts } from './parameters.ts';

/**
 * The `tools` of a body, made once for all requests with the same table: the list is shared and must not be changed.
 * `toolOf` may depend on nothing of the target but its kind and whether it accepts `strict`.
 */
export const toolsFor = (
  tools: ToolTable,
  api: OutboundName,
  target: Target,
  toolOf: (tool: Tool, target: Target) => JsonObject,
): JsonObject[] =>
  tools.derive(`${api} ${target.kind} ${accepts(target, 'strict')}`, (list) =>
    list.map((tool) => toolOf(tool, target)),
  );
