import {
  type Content,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
  type PastCall,
  writeJson,
} from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';
import { unknownMembers } from '../../tools.ts';

/** Parses one message of any shape that real clients send; `at` is its path, e.g. `messages[3]`. */
export function readMessage(message: JsonValue, at: string): Message {
  if (!isObject(message)) throw invalidValue(at, message, 'a message object with role and content');
  const common = { ...readName(message, at), ...rest(message) };
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return { role: message.role, content: readContent(message.content, `${at}.content`), ...common };
    case 'assistant':
      return readAssistant(message, at, common);
    case 'tool':
      if (typeof message.tool_call_id !== 'string' || message.tool_call_id === '')
        throw invalidValue(
          `${at}.tool_call_id`,
          message.tool_call_id,
          'the ID of the call that this result belongs to',
          'invalid_tool_call_id',
        );
      return {
        role: 'tool',
        callId: message.tool_call_id,
        content: readContent(message.content, `${at}.content`),
        ...common,
      };
    case 'function':
      if (typeof message.name !== 'string') throw invalidValue(`${at}.name`, message.name, "the function's name");
      return {
        role: 'tool',
        callId: legacyId(message.name),
        content: readContent(message.content, `${at}.content`),
        ...common,
      };
    default:
      throw invalidValue(`${at}.role`, message.role, 'one of "system", "developer", "user", "assistant", "tool"');
  }
}

const knownMembers = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'reasoning',
  'reasoning_content',
]);

/** The replacement for the id that the legacy `function_call` protocol lacks. */
const legacyId = (name: string): string => `call_function_${name}`;

function rest(message: JsonObject): { extra?: JsonObject } {
  const extra = unknownMembers(message, knownMembers);
  return extra ? { extra } : {};
}

function readName(message: JsonObject, at: string): { name?: string } {
  const { name } = message;
  if (name === undefined || name === null) return {};
  if (typeof name !== 'string') throw invalidValue(`${at}.name`, name, 'a string');
  return { name };
}

function readContent(content: JsonValue | undefined, at: string): Content {
  if (typeof content === 'string') return content;
  // Clients in languages that omit empty fields send empty content this way.
  if (content === undefined || content === null) return null;
  if (!Array.isArray(content)) throw invalidValue(at, content, 'a string, null or an array of parts');
  content.forEach((part, index) => {
    checkPart(part, `${at}[${index}]`);
  });
  return content as Part[];
}

function checkPart(part: JsonValue, at: string): void {
  if (!isObject(part)) throw invalidValue(at, part, 'a part object such as {"type":"text","text":"…"}');
  if (typeof part.type !== 'string') throw invalidValue(`${at}.type`, part.type, 'a string such as "text"');
  if (part.type === 'text' && typeof part.text !== 'string') throw invalidValue(`${at}.text`, part.text, 'a string');
  if (part.type !== 'image_url') return;
  const url = isObject(part.image_url) ? part.image_url.url : part.image_url;
  if (typeof url !== 'string')
    throw invalidValue(isObject(part.image_url) ? `${at}.image_url.url` : `${at}.image_url`, url, 'a URL as a string');
}

function readAssistant(message: JsonObject, at: string, common: { name?: string; extra?: JsonObject }): Message {
  const calls = readCalls(message, at);
  const { reasoning_content: content, reasoning: other } = message;
  const reasoning = typeof content === 'string' && (content !== '' || typeof other !== 'string') ? content : other;
  return {
    role: 'assistant',
    content: readContent(message.content, `${at}.content`),
    calls,
    ...(typeof reasoning === 'string' && { reasoning }),
    ...common,
  };
}

function readCalls(message: JsonObject, at: string): PastCall[] {
  const { tool_calls: calls, function_call: legacy } = message;
  if (isObject(legacy) && typeof legacy.name === 'string')
    return [
      {
        id: legacyId(legacy.name),
        name: legacy.name,
        arguments: readArguments(legacy.arguments, `${at}.function_call.arguments`),
      },
    ];
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw invalidValue(`${at}.tool_calls`, calls, 'an array of calls');
  return calls.map((call, index) => readCall(call, `${at}.tool_calls[${index}]`));
}

function readCall(call: JsonValue, at: string): PastCall {
  if (!isObject(call)) throw invalidValue(at, call, 'a call object with id and function');
  if (typeof call.id !== 'string' || call.id === '')
    throw invalidValue(`${at}.id`, call.id, "the call's id as a string", 'invalid_tool_call_id');
  if (call.type === 'custom' && isObject(call.custom)) {
    const { name, input } = call.custom;
    if (typeof name !== 'string' || name === '')
      throw invalidValue(`${at}.custom.name`, name, "the tool's name as a string");
    if (typeof input !== 'string') throw invalidValue(`${at}.custom.input`, input, 'a string');
    return { id: call.id, name, arguments: JSON.stringify({ input }) };
  }
  if (call.type !== undefined && call.type !== null && call.type !== 'function')
    throw invalidValue(`${at}.type`, call.type, '"function"');
  if (!isObject(call.function))
    throw invalidValue(`${at}.function`, call.function, 'an object with name and arguments');
  const { name } = call.function;
  if (typeof name !== 'string' || name === '')
    throw invalidValue(`${at}.function.name`, name, "the function's name as a string");
  return { id: call.id, name, arguments: readArguments(call.function.arguments, `${at}.function.arguments`) };
}

/** FR-018: a string. An object from the client means the same and is converted to JSON. */
function readArguments(value: JsonValue | undefined, at: string): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (isObject(value)) return writeJson(value);
  throw invalidValue(at, value, 'a string of JSON');
}
