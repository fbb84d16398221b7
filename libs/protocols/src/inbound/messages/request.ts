import {
  copyNumberSources,
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
import { readMessages, systemContent } from './messages.ts';
import type { ThinkingDisplay } from './thinking.ts';
import { readMessagesChoice, readTools } from './tools.ts';

/** Parses a `/v1/messages` body. Throws a `Fault` whose `param` is the exact path of the error. */
export function parseMessagesRequest(body: JsonValue, limits: BodyLimits): Turn {
  const turn = parseCountRequest(body, limits);
  const { max_tokens: most } = body as JsonObject;
  if (most === undefined || most === null)
    throw invalidValue('max_tokens', undefined, 'how many tokens the answer may have');
  return turn;
}

/** Parses a `/v1/messages/count_tokens` body: the same, without the fields for a response. */
export function parseCountRequest(body: JsonValue, limits: BodyLimits): Turn {
  if (!isObject(body)) throw invalidValue('body', body, 'a JSON object', 'invalid_body');
  checkNesting(body, limits.maxDepth);
  if (typeof body.model !== 'string' || body.model === '')
    throw invalidValue('model', body.model, "the model's name as a string");
  checkSampling(body, checks);
  const read = readMessages(body.messages, limits.maxMessages);
  const system = systemContent(body.system, 'system');
  const lead: Message[] = system === null ? [] : [{ role: 'system', content: system }];
  const offered = readTools(body.tools, limits.maxTools);
  const { choice, parallel } = readMessagesChoice(body.tool_choice, offered);
  const dropped = [...read.dropped, ...offered.dropped];
  return {
    model: body.model,
    messages: [...lead, ...read.messages],
    tools: offered.tools,
    toolChoice: limits.moreTools ? choice : checkChoice(choice, offered.tools),
    parallel,
    stream: body.stream === true,
    includeUsage: true,
    n: 1,
    sampling: samplingOf(body),
    ...(holdsExactNumbers(body) && { exactNumbers: true }),
    given: isObject(body.tool_choice) && offered.tools.size > 0 ? ['tool_choice'] : [],
    ...(dropped.length > 0 && { dropped }),
    echo: { paths: [...lead.map(() => 'system'), ...read.paths], thinking: shownBy(body.thinking) },
  };
}

const format = (value: JsonValue, param: string): void => {
  if (!isObject(value)) throw invalidValue(param, value, 'an object');
  if (value.type !== 'json_schema') throw invalidValue(`${param}.type`, value.type, '"json_schema"');
  if (!isObject(value.schema)) throw invalidValue(`${param}.schema`, value.schema, 'a JSON schema object');
};

/** Fields that are used; others, such as betas and their fields, mean nothing to a model server. */
const checks = {
  max_tokens: integer(1),
  stream: boolean,
  temperature: number(0, 2),
  top_p: number(0, 1),
  top_k: integer(0),
  stop_sequences: strings,
  metadata: (value: JsonValue, param: string) => {
    object(value, param);
    checkSampling(value as JsonObject, { user_id: (id) => string(id, `${param}.user_id`) });
  },
  thinking: (value: JsonValue, param: string) => {
    if (!isObject(value)) throw invalidValue(param, value, 'an object');
    if (typeof value.type !== 'string') throw invalidValue(`${param}.type`, value.type, 'a string such as "adaptive"');
    checkSampling(value, {
      budget_tokens: (budget) => integer(0)(budget, `${param}.budget_tokens`),
      display: (display) => string(display, `${param}.display`),
    });
  },
  output_config: (value: JsonValue, param: string) => {
    object(value, param);
    checkSampling(value as JsonObject, {
      effort: (effort) => string(effort, `${param}.effort`),
      format: (given) => format(given, `${param}.format`),
    });
  },
  output_format: format,
};

/** The sampling parameters, under their chat-completions names. */
function samplingOf(body: JsonObject): JsonObject {
  const sampling: JsonObject = {};
  for (const name of ['max_tokens', 'temperature', 'top_p', 'top_k'])
    if (typeof body[name] === 'number') sampling[name] = body[name];
  copyNumberSources(body, sampling);
  if (Array.isArray(body.stop_sequences) && body.stop_sequences.length > 0) sampling.stop = body.stop_sequences;
  const config = isObject(body.output_config) ? body.output_config : {};
  const effort = effortOf(config.effort, body.thinking);
  if (effort !== undefined) sampling.reasoning_effort = effort;
  const given = config.format ?? body.output_format;
  if (isObject(given))
    sampling.response_format = {
      type: 'json_schema',
      json_schema: { name: 'output', schema: given.schema, strict: true },
    };
  return sampling;
}

/** Model servers support three efforts; a higher one becomes the highest of them. */
function effortOf(effort: JsonValue | undefined, thinking: JsonValue | undefined): string | undefined {
  if (typeof effort !== 'string' || !isObject(thinking) || thinking.type === 'disabled') return undefined;
  return effort === 'low' || effort === 'medium' ? effort : 'high';
}

function shownBy(thinking: JsonValue | undefined): ThinkingDisplay {
  if (!isObject(thinking)) return 'text';
  if (thinking.type === 'disabled') return 'none';
  return thinking.display === 'omitted' ? 'omitted' : 'text';
}
