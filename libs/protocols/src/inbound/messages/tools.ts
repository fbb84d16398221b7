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
import { boolean, boundedList, invalidValue } from '../../checks.ts';
import { oncePerList } from '../../once-per-list.ts';
import { readDescription, readSchema, readToolName, shortenedName } from '../../tools.ts';
import { clientTool } from './client-tools.ts';

/** The tools of a request, and those that run only on Anthropic's servers. */
export interface ReadTools {
  readonly tools: ToolTable;
  readonly dropped: readonly string[];
  /** Only a web search was offered, as in Claude Code's searches: it treats a plain response as no results. */
  readonly onlySearch: boolean;
}

/** Parses `tools`. Throws if only tools that run on Anthropic's servers are left. */
export const readTools = oncePerList((value, most): ReadTools => {
  const tools: Tool[] = [];
  const dropped: string[] = [];
  const offered = boundedList(value, 'tools', most);
  for (const [at, tool] of offered.entries()) {
    const read = readTool(tool, `tools[${at}]`);
    if (typeof read === 'string') dropped.push(read);
    else if (read !== undefined) tools.push(read);
  }
  const [only] = offered;
  const onlySearch = offered.length === 1 && isObject(only) && only.type === 'web_search_20250305';
  if (tools.length === 0 && dropped.length > 0 && !onlySearch)
    throw new Fault(
      'invalid_parameter',
      `${dropped.join(', ')}: such tools run on Anthropic's servers and are not supported here, and no other tool is offered.`,
      { param: 'tools' },
    );
  return { tools: new ToolTable(tools), dropped, onlySearch };
});

/** A tool; its path and type if it runs at the server; undefined for a placeholder. */
function readTool(tool: JsonValue, at: string): Tool | string | undefined {
  if (!isObject(tool)) throw invalidValue(at, tool, 'a tool object', 'invalid_tool_schema');
  const { type } = tool;
  if (type === undefined || type === null || type === 'custom') return customTool(tool, at);
  if (typeof type !== 'string')
    throw invalidValue(`${at}.type`, type, 'a string such as "custom"', 'invalid_tool_schema');
  const known = clientTool(type);
  return known ? named({ name: readToolName(tool.name, `${at}.name`), ...known }) : `${at} (${type.slice(0, 64)})`;
}

function customTool(tool: JsonObject, at: string): Tool | undefined {
  const name = readToolName(tool.name, `${at}.name`);
  // A placeholder for tools that come later; it is never called.
  if (name === 'DeferredToolPlaceholder' && tool.defer_loading === true) return undefined;
  return named({
    name,
    ...readDescription(tool, at),
    parameters: readSchema(tool.input_schema ?? null, `${at}.input_schema`),
  });
}

/** A tool with a name that model servers accept. */
function named(tool: Tool): Tool {
  const name = shortenedName(tool.name);
  return name === tool.name ? tool : { ...tool, name, declared: { as: 'function', name: tool.name } };
}

/** The client's name for a tool. */
export const clientName = ({ tools }: Turn, name: string): string => tools.get(name)?.declared?.name ?? name;

/** Parses `tool_choice`. */
export function readMessagesChoice(
  value: JsonValue | undefined,
  { onlySearch }: ReadTools,
): { choice: ToolChoice; parallel: boolean } {
  if (value === undefined || value === null) return { choice: 'auto', parallel: true };
  if (!isObject(value)) throw invalidValue('tool_choice', value, 'an object such as {"type":"auto"}');
  const { disable_parallel_tool_use: single } = value;
  if (single !== undefined && single !== null) boolean(single, 'tool_choice.disable_parallel_tool_use');
  return { choice: onlySearch ? 'auto' : choiceOf(value), parallel: single !== true };
}

function choiceOf(value: JsonObject): ToolChoice {
  switch (value.type) {
    case 'auto':
    case 'none':
      return value.type;
    case 'any':
      return 'required';
    case 'tool':
      if (typeof value.name !== 'string')
        throw invalidValue('tool_choice.name', value.name, "the tool's name as a string");
      return { name: shortenedName(value.name) };
    default:
      throw invalidValue('tool_choice.type', value.type, 'one of "auto", "any", "tool", "none"');
  }
}
