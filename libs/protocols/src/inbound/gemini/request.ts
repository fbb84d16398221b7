import {
  type Content,
  copyNumberSources,
  Fault,
  holdsExactNumbers,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Turn,
} from '@callsmith/turn';
import { boolean, checkNesting, integer, invalidValue, number, object, oneOf, string, strings } from '../../checks.ts';
import type { BodyLimits } from '../../inbound-adapter.ts';
import { checkChoice } from '../../tools.ts';
import { readContents, readInstruction } from './contents.ts';
import { member } from './members.ts';
import { schemaOfValue } from './one-value.ts';
import { objectAt } from './parts.ts';
import { jsonSchemaOf } from './schema.ts';
import { readToolConfig, readTools } from './tools.ts';

/**
 * Parses a `generateContent` body, to which the address's model and whether it streams were added. Throws a `Fault`
 * whose `param` is the exact path of the error.
 */
export function parseGenerateRequest(body: JsonValue, limits: BodyLimits): Turn {
  if (!isObject(body)) throw invalidValue('body', body, 'a JSON object', 'invalid_body');
  checkNesting(body, limits.maxDepth);
  if (typeof body.model !== 'string' || body.model === '')
    throw invalidValue('model', body.model, "the model's name in the address");
  if (member(body, 'cachedContent') !== undefined)
    throw new Fault(
      'invalid_parameter',
      'cachedContent: cached contents are not supported. Send the contents in the request itself.',
      {
        param: 'cachedContent',
      },
    );
  const read = readContents(body.contents, limits.maxMessages);
  const instruction = readInstruction(member(body, 'systemInstruction'));
  const offered = readTools(body.tools, limits.maxTools);
  const { choice, tools } = readToolConfig(member(body, 'toolConfig'), offered.tools);
  const config = configIn(body);
  const lead = leadOf(instruction);
  const dropped = [...read.dropped, ...offered.dropped];
  const n = member(config, 'candidateCount');
  return {
    model: body.model,
    messages: [...lead, ...read.messages],
    tools,
    toolChoice: limits.moreTools ? choice : checkChoice(choice, tools),
    parallel: true,
    stream: body.stream === true,
    includeUsage: true,
    n: typeof n === 'number' ? n : 1,
    sampling: samplingOf(config),
    ...(holdsExactNumbers(body) && { exactNumbers: true }),
    given: [...(choice === 'auto' ? [] : ['tool_choice']), ...(n === undefined ? [] : ['n'])],
    ...(dropped.length > 0 && { dropped }),
    echo: {
      paths: [...lead.map(() => 'systemInstruction'), ...read.paths],
      thoughts: showsThoughts(config),
      ...(isEnum(config) && { oneValue: true }),
    },
  };
}

/** Parses a `countTokens` body: only contents, or a whole request. */
export function parseCountRequest(body: JsonValue, limits: BodyLimits): Turn {
  const whole = isObject(body) ? member(body, 'generateContentRequest') : undefined;
  if (!isObject(body) || whole === undefined) return parseGenerateRequest(body, limits);
  return parseGenerateRequest({ ...objectAt(whole, 'generateContentRequest'), model: body.model ?? null }, limits);
}

const leadOf = (content: Content): Message[] => (content === null ? [] : [{ role: 'system', content }]);

const at = 'generationConfig';

/** `generationConfig` with its members checked; an empty one if it is absent. */
function configIn(body: JsonObject): JsonObject {
  const given = member(body, at);
  if (given === undefined) return {};
  const config = objectAt(given, at);
  for (const [name, check] of Object.entries(checks)) {
    const value = member(config, name);
    if (value !== undefined) check(value, `${at}.${name}`);
  }
  return config;
}

/** Members that are used; model servers need no others. */
const checks = {
  temperature: number(0, 2),
  topP: number(0, 1),
  topK: number(0, Number.MAX_SAFE_INTEGER),
  candidateCount: integer(1, 128),
  maxOutputTokens: integer(1),
  stopSequences: strings,
  presencePenalty: number(-2, 2),
  frequencyPenalty: number(-2, 2),
  seed: integer(Number.MIN_SAFE_INTEGER),
  responseMimeType: oneOf('text/plain', 'application/json', 'text/x.enum'),
  responseSchema: object,
  responseJsonSchema: object,
  responseModalities: (value: JsonValue, param: string) => {
    strings(value, param);
    for (const [index, kind] of (value as readonly string[]).entries())
      oneOf('TEXT', 'text')(kind.toUpperCase(), `${param}[${index}]`);
  },
  thinkingConfig: (value: JsonValue, param: string) => {
    object(value, param);
    const named = {
      includeThoughts: boolean,
      thinkingBudget: integer(-1),
      thinkingLevel: string,
    };
    for (const [name, check] of Object.entries(named)) {
      const one = member(value as JsonObject, name);
      if (one !== undefined) check(one, `${param}.${name}`);
    }
  },
};

/** The sampling parameters: this API's names and those of chat completions. */
const samplingNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  maxOutputTokens: 'max_tokens',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
} as const;

function samplingOf(config: JsonObject): JsonObject {
  const sampling: JsonObject = {};
  for (const [name, known] of Object.entries(samplingNames)) {
    const value = member(config, name);
    if (value !== undefined) sampling[known] = value;
  }
  copyNumberSources(config, sampling);
  const stop = member(config, 'stopSequences');
  if (Array.isArray(stop) && stop.length > 0) sampling.stop = stop;
  const effort = effortOf(thinkingIn(config));
  if (effort !== undefined) sampling.reasoning_effort = effort;
  const format = formatOf(config);
  if (format !== undefined) sampling.response_format = format;
  return sampling;
}

const thinkingIn = (config: JsonObject): JsonObject => {
  const thinking = member(config, 'thinkingConfig');
  return isObject(thinking) ? thinking : {};
};

const showsThoughts = (config: JsonObject): boolean => member(thinkingIn(config), 'includeThoughts') === true;

/** Model servers support three efforts. */
function effortOf(thinking: JsonObject): string | undefined {
  const level = member(thinking, 'thinkingLevel');
  switch (typeof level === 'string' ? level.toUpperCase() : undefined) {
    case 'MINIMAL':
    case 'LOW':
      return 'low';
    case 'MEDIUM':
      return 'medium';
    case 'HIGH':
      return 'high';
    default:
      return undefined;
  }
}

const isEnum = (config: JsonObject): boolean => member(config, 'responseMimeType') === 'text/x.enum';

/** The requested form of the response: a schema of either kind, or any JSON. */
function formatOf(config: JsonObject): JsonObject | undefined {
  const own = member(config, 'responseSchema');
  const given = member(config, 'responseJsonSchema') ?? (own && jsonSchemaOf(own));
  const schema = isEnum(config) ? schemaOfValue(given) : given;
  if (isObject(schema)) return { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } };
  return member(config, 'responseMimeType') === 'application/json' ? { type: 'json_object' } : undefined;
}
