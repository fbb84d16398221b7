import { Fault, isObject, type JsonObject, type ToolChoice, ToolTable, type Turn } from '@callsmith/turn';
import { boundedList, invalidValue } from '../../checks.ts';
import { readFunction } from '../../tools.ts';

// Chat completions before tools: `functions` and `function_call` of a request, `function_call` of a response.

export const legacyParameters = ['functions', 'function_call'] as const;

/** Marks a turn that was requested in the legacy form. */
export const legacyEcho: JsonObject = { legacyFunctions: true };

/** True if a turn's client expects its one call as `function_call`. */
export const isLegacy = (turn: Turn): boolean => turn.echo?.legacyFunctions === true;

/** Parses `functions` and `function_call`; undefined if a request has no functions. Throws if it also has tools. */
export function readLegacyFunctions(
  body: JsonObject,
  most: number,
): { readonly choice: ToolChoice; readonly tools: ToolTable } | undefined {
  const functions = boundedList(body.functions, 'functions', most);
  if (functions.length === 0) return undefined;
  if (Array.isArray(body.tools) && body.tools.length > 0)
    throw new Fault('invalid_parameter', 'functions: send either tools or functions, not both.', {
      param: 'functions',
    });
  const tools = functions.map((definition, at) => {
    if (!isObject(definition))
      throw invalidValue(`functions[${at}]`, definition, 'an object with name and parameters', 'invalid_tool_schema');
    return readFunction(definition, `functions[${at}]`);
  });
  return { choice: readLegacyChoice(body), tools: new ToolTable(tools) };
}

function readLegacyChoice({ function_call: choice }: JsonObject): ToolChoice {
  if (choice === undefined || choice === null || choice === 'auto') return 'auto';
  if (choice === 'none') return 'none';
  if (!isObject(choice) || typeof choice.name !== 'string')
    throw invalidValue('function_call', choice, '"auto", "none" or {"name":…}');
  return { name: choice.name };
}
