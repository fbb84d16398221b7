import {
  copyNumberSources,
  Fault,
  holdsExactNumbers,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Turn,
} from '@callsmith/turn';
import {
  boolean,
  checkNesting,
  checkSampling,
  integer,
  invalidValue,
  number,
  object,
  string,
  strings,
} from '../../checks.ts';
import type { BodyLimits } from '../../inbound-adapter.ts';
import { checkChoice } from '../../tools.ts';
import { readInput } from './items.ts';
import { readResponsesChoice, readTools } from './tools.ts';

/** Parses a `/v1/responses` body. Throws a `Fault` whose `param` is the exact path of the error. */
export function parseResponsesRequest(body: JsonValue, limits: BodyLimits): Turn {
  if (!isObject(body)) throw invalidValue('body', body, 'a JSON object', 'invalid_body');
  checkNesting(body, limits.maxDepth);
  if (typeof body.model !== 'string' || body.model === '')
    throw invalidValue('model', body.model, "the model's name as a string");
  checkSampling(body, checks);
  const read =
    body.input === undefined && typeof body.previous_response_id === 'string'
      ? nothing
      : readInput(body.input, limits.maxMessages);
  const offered = readTools(body.tools, limits.maxTools, read.loaded);
  const { choice, tools } = readResponsesChoice(body.tool_choice, offered.tools);
  const instructions: Message[] =
    typeof body.instructions === 'string' && body.instructions !== ''
      ? [{ role: 'system', content: body.instructions }]
      : [];
  const dropped = [...read.dropped, ...offered.dropped];
  return {
    model: body.model,
    messages: [...instructions, ...read.messages],
    tools,
    toolChoice: limits.moreTools ? choice : checkChoice(choice, tools),
    parallel: body.parallel_tool_calls !== false,
    stream: body.stream === true,
    includeUsage: true,
    n: 1,
    sampling: samplingOf(body),
    ...(holdsExactNumbers(body) && { exactNumbers: true }),
    given: (['tool_choice', 'parallel_tool_calls'] as const).filter(
      (name) => body[name] !== undefined && body[name] !== null,
    ),
    ...(offered.servers.length > 0 && { servers: offered.servers }),
    ...(typeof body.max_tool_calls === 'number' && { maxToolRuns: body.max_tool_calls }),
    ...(read.approvals.length > 0 && { approvals: read.approvals }),
    ...(dropped.length > 0 && { dropped }),
    echo: echoOf(body, [...instructions.map(() => 'instructions'), ...read.paths], offered.echoed),
  };
}

const nothing = { messages: [], paths: [], dropped: [], approvals: [], loaded: [] };

/** Accepted values of `include`: supported ones, and those that never apply here. */
const includable = new Set([
  'reasoning.encrypted_content',
  'message.input_image.image_url',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
]);

function include(value: JsonValue, param: string): void {
  strings(value, param);
  for (const [at, name] of (value as string[]).entries())
    if (!includable.has(name))
      throw new Fault(
        'invalid_parameter',
        `${param}[${at}]: ${JSON.stringify(name.slice(0, 64))} is not supported here. Leave it out.`,
        {
          param: `${param}[${at}]`,
        },
      );
}

/** Features of OpenAI's service, which stores conversations. */
const notOurs = (what: string) => (value: JsonValue, param: string) => {
  if (value !== false)
    throw new Fault('invalid_parameter', `${param}: ${what} is not supported here. Leave it out.`, { param });
};

const checks = {
  stream: boolean,
  store: boolean,
  instructions: string,
  previous_response_id: string,
  parallel_tool_calls: boolean,
  max_output_tokens: integer(1),
  max_tool_calls: integer(1),
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  top_logprobs: integer(0),
  service_tier: string,
  safety_identifier: string,
  prompt_cache_key: string,
  metadata: object,
  reasoning: (value: JsonValue, param: string) => {
    object(value, param);
    checkSampling(value as JsonObject, {
      effort: (effort) => string(effort, `${param}.effort`),
      summary: (summary) => string(summary, `${param}.summary`),
    });
  },
  text: (value: JsonValue, param: string) => {
    object(value, param);
    const { format } = value as JsonObject;
    if (format === undefined || format === null) return;
    if (!isObject(format)) throw invalidValue(`${param}.format`, format, 'an object');
    if (typeof format.type !== 'string')
      throw invalidValue(`${param}.format.type`, format.type, 'a string such as "json_schema"');
    if (format.type === 'json_schema' && !isObject(format.schema))
      throw invalidValue(`${param}.format.schema`, format.schema, 'a JSON schema object');
  },
  include,
  truncation: (value: JsonValue, param: string) => {
    string(value, param);
    if (value === 'auto')
      throw new Fault(
        'invalid_parameter',
        `${param}: "auto" is not supported, because no message is ever left out. Send "disabled", or leave it out.`,
        { param },
      );
  },
  user: string,
  stream_options: object,
  background: notOurs('background mode'),
  context_management: notOurs('compaction of a conversation'),
  conversation: notOurs('a stored conversation'),
  prompt: notOurs('a stored prompt'),
};

/** Fields about how the response is made or stored: they mean nothing to a model. */
const handled = new Set([
  'model',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'instructions',
  'store',
  'previous_response_id',
  'include',
  'client_metadata',
  'truncation',
  'background',
  'context_management',
  'conversation',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'max_output_tokens',
  'reasoning',
  'text',
  'max_tool_calls',
]);

/** Every other parameter under its chat-completions name. */
function samplingOf(body: JsonObject): JsonObject {
  const sampling: JsonObject = {};
  for (const key of Object.keys(body)) if (!handled.has(key)) sampling[key] = body[key];
  copyNumberSources(body, sampling);
  if (typeof body.max_output_tokens === 'number') sampling.max_completion_tokens = body.max_output_tokens;
  if (isObject(body.reasoning) && typeof body.reasoning.effort === 'string')
    sampling.reasoning_effort = body.reasoning.effort;
  if (isObject(body.text)) {
    if (typeof body.text.verbosity === 'string') sampling.verbosity = body.text.verbosity;
    const format = chatFormat(body.text.format);
    if (format) sampling.response_format = format;
  }
  return sampling;
}

function chatFormat(format: JsonValue | undefined): JsonObject | undefined {
  if (!isObject(format) || format.type === 'text') return undefined;
  const { type, ...schema } = format;
  return type === 'json_schema' ? { type, json_schema: schema } : { type };
}

/** The text format with every field that the response must have. */
function echoedText(text: JsonValue | undefined): JsonObject {
  const { format, ...rest } = isObject(text) ? text : {};
  if (!isObject(format)) return { format: { type: 'text' }, ...rest };
  if (format.type !== 'json_schema') return { format, ...rest };
  return { format: { ...format, description: format.description ?? null, strict: format.strict ?? false }, ...rest };
}

/** The request's fields that are repeated in the response, and the paths of its messages. */
function echoOf(body: JsonObject, paths: readonly string[], tools: readonly JsonValue[]): JsonObject {
  return {
    paths: [...paths],
    encryptedReasoning: Array.isArray(body.include) && body.include.includes('reasoning.encrypted_content'),
    fields: {
      background: false,
      frequency_penalty: body.frequency_penalty ?? 0,
      instructions: body.instructions ?? null,
      max_output_tokens: body.max_output_tokens ?? null,
      max_tool_calls: body.max_tool_calls ?? null,
      metadata: body.metadata ?? {},
      parallel_tool_calls: body.parallel_tool_calls ?? true,
      presence_penalty: body.presence_penalty ?? 0,
      previous_response_id: body.previous_response_id ?? null,
      prompt_cache_key: body.prompt_cache_key ?? null,
      reasoning: { effort: null, summary: null, ...(isObject(body.reasoning) && body.reasoning) },
      safety_identifier: body.safety_identifier ?? null,
      service_tier: body.service_tier ?? 'default',
      store: body.store ?? true,
      temperature: body.temperature ?? 1,
      text: echoedText(body.text),
      tool_choice: body.tool_choice ?? 'auto',
      tools: [...tools],
      top_logprobs: body.top_logprobs ?? 0,
      top_p: body.top_p ?? 1,
      truncation: body.truncation ?? 'disabled',
      user: body.user ?? null,
    },
  };
}
