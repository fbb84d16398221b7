import {
  copyNumberSources,
  holdsExactNumbers,
  isObject,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolChoice,
  ToolTable,
  type Turn,
} from '@callsmith/turn';
import {
  boolean,
  boundedList,
  checkNesting,
  checkSampling,
  integer,
  invalidValue,
  number,
  object,
  oneOf,
  string,
  stringOrStrings,
  strings,
} from '../../checks.ts';
import type { BodyLimits } from '../../inbound-adapter.ts';
import { oncePerList } from '../../once-per-list.ts';
import { checkChoice, customTool, onlyAllowed, readFunction, readToolName, unknownMembers } from '../../tools.ts';
import { legacyEcho, legacyParameters, readLegacyFunctions } from './legacy-functions.ts';
import { readMessage } from './messages.ts';

/** Parses a `/v1/chat/completions` body. Throws a `Fault` whose `param` is the exact path of the error. */
export function parseChatRequest(body: JsonValue, limits: BodyLimits): Turn {
  if (!isObject(body)) throw invalidValue('body', body, 'a JSON object', 'invalid_body');
  checkNesting(body, limits.maxDepth);
  if (typeof body.model !== 'string' || body.model === '')
    throw invalidValue('model', body.model, "the model's name as a string");
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    throw invalidValue('messages', body.messages, 'an array of at least one message');
  checkSampling(body, sampling);
  const messages = boundedList(body.messages, 'messages', limits.maxMessages).map((message, at) =>
    readMessage(message, `messages[${at}]`),
  );
  const legacy = readLegacyFunctions(body, limits.maxTools);
  const { choice, tools } = legacy ?? readOffer(body, limits.maxTools);
  const options = isObject(body.stream_options) ? body.stream_options : {};
  return {
    model: body.model,
    messages,
    tools,
    toolChoice: limits.moreTools ? choice : checkChoice(choice, tools),
    // The legacy form allows only one call.
    parallel: legacy === undefined && body.parallel_tool_calls !== false,
    stream: body.stream === true,
    includeUsage: options.include_usage === true,
    n: typeof body.n === 'number' ? body.n : 1,
    sampling: others(body),
    ...(holdsExactNumbers(body) && { exactNumbers: true }),
    given: own.filter((name) => body[name] !== undefined && body[name] !== null),
    ...(legacy && { echo: legacyEcho }),
  };
}

const own = ['tool_choice', 'parallel_tool_calls', 'n'] as const;
const read = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'n',
  ...legacyParameters,
]);

function others(body: JsonObject): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(body)) if (!read.has(key)) rest[key] = body[key];
  copyNumberSources(body, rest);
  return rest;
}

/** The allowed tools, and the tool choice. */
function readOffer(body: JsonObject, most: number): { choice: ToolChoice; tools: ToolTable } {
  return readChoice(body.tool_choice, readTools(body.tools, most));
}

const readTools = oncePerList(
  (value, most) => new ToolTable(boundedList(value, 'tools', most).map((tool, at) => readTool(tool, `tools[${at}]`))),
);

/** Parameters with a known type and range; every other one is passed on unchecked. */
const sampling = {
  stream: boolean,
  stream_options: (value: JsonValue, param: string) => {
    object(value, param);
    checkSampling(value as JsonObject, { include_usage: (wish) => boolean(wish, `${param}.include_usage`) });
  },
  n: integer(1, 128),
  parallel_tool_calls: boolean,
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  // -1 means "no limit" for users of LM Studio and llama.cpp.
  max_tokens: integer(-1),
  max_completion_tokens: integer(-1),
  seed: integer(Number.MIN_SAFE_INTEGER),
  logprobs: boolean,
  top_logprobs: integer(0),
  logit_bias: object,
  stop: stringOrStrings,
  user: string,
  store: boolean,
  metadata: object,
  modalities: strings,
  reasoning_effort: string,
  verbosity: string,
  service_tier: string,
  response_format: (value: JsonValue, param: string) => {
    if (!isObject(value)) throw invalidValue(param, value, 'an object');
    if (typeof value.type !== 'string')
      throw invalidValue(`${param}.type`, value.type, 'a string such as "json_schema"');
    if (value.type === 'json_schema' && !isObject(value.json_schema))
      throw invalidValue(`${param}.json_schema`, value.json_schema, 'an object');
  },
};

const toolMembers = new Set(['type', 'function']);

function readTool(tool: JsonValue, at: string): Tool {
  if (!isObject(tool)) throw invalidValue(at, tool, 'a tool object', 'invalid_tool_schema');
  if (tool.type === 'custom') {
    if (!isObject(tool.custom)) throw invalidValue(`${at}.custom`, tool.custom, 'an object', 'invalid_tool_schema');
    const name = readToolName(tool.custom.name, `${at}.custom.name`);
    return customTool(name, tool.custom, { as: 'custom', name });
  }
  if (tool.type !== undefined && tool.type !== 'function')
    throw invalidValue(`${at}.type`, tool.type, '"function"', 'invalid_tool_schema');
  if (!isObject(tool.function))
    throw invalidValue(
      `${at}.function`,
      tool.function,
      'an object with name, description and parameters',
      'invalid_tool_schema',
    );
  const read = readFunction(tool.function, `${at}.function`);
  const extra = unknownMembers(tool, toolMembers);
  return extra ? { ...read, extra: { ...read.extra, tool: extra } } : read;
}

function readChoice(value: JsonValue | undefined, tools: ToolTable): { choice: ToolChoice; tools: ToolTable } {
  if (value === undefined || value === null) return { choice: 'auto', tools };
  if (value === 'auto' || value === 'none' || value === 'required') return { choice: value, tools };
  if (!isObject(value))
    throw invalidValue('tool_choice', value, '"auto", "none", "required" or {"type":"function","function":{"name":…}}');
  if (value.type === 'allowed_tools') return readAllowed(value, tools);
  const named = isObject(value.function) ? value.function : isObject(value.custom) ? value.custom : value;
  const at =
    named === value
      ? 'tool_choice.function.name'
      : value.custom === named
        ? 'tool_choice.custom.name'
        : 'tool_choice.function.name';
  if (typeof named.name !== 'string') throw invalidValue(at, named.name, "the tool's name as a string");
  return { choice: { name: named.name }, tools };
}

function readAllowed(value: JsonObject, tools: ToolTable): { choice: ToolChoice; tools: ToolTable } {
  const only = value.allowed_tools;
  if (!isObject(only)) throw invalidValue('tool_choice.allowed_tools', only, 'an object with mode and tools');
  oneOf('auto', 'required')(only.mode ?? 'auto', 'tool_choice.allowed_tools.mode');
  if (!Array.isArray(only.tools)) throw invalidValue('tool_choice.allowed_tools.tools', only.tools, 'an array');
  const names = only.tools.map((tool, at) => allowedName(tool, `tool_choice.allowed_tools.tools[${at}]`));
  return { choice: only.mode === 'required' ? 'required' : 'auto', tools: onlyAllowed(tools, names) };
}

function allowedName(tool: JsonValue, at: string): string {
  const kind = isObject(tool) && tool.type === 'custom' ? 'custom' : 'function';
  const named = isObject(tool) ? tool[kind] : undefined;
  if (!isObject(named) || typeof named.name !== 'string')
    throw invalidValue(`${at}.${kind}.name`, isObject(named) ? named.name : undefined, "the tool's name as a string");
  return named.name;
}
