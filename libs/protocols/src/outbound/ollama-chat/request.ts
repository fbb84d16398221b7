import {
  type Content,
  copyMembers,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Tool,
  type Turn,
  textOf,
} from '@callsmith/turn';
import { argumentsObject } from '../../arguments-object.ts';
import type { Target, UpstreamRequest } from '../../outbound-adapter.ts';
import { forwardable } from '../parameters.ts';
import { toolsFor } from '../tools-for.ts';

/**
 * A turn as an `/api/chat` body. `num_ctx` is set only if the model's context length is declared, since a changed value
 * makes Ollama reload the model: a client's value is left out.
 */
export function ollamaRequest(turn: Turn, target: Target): UpstreamRequest {
  const { body: sampling, dropped } = forwardable(turn.sampling, target);
  const body: JsonObject = { model: target.model, messages: messagesOf(turn) };
  if (turn.tools.size > 0) {
    body.tools = toolsFor(turn.tools, 'ollama-chat', target, toolOf);
    if (turn.given?.includes('tool_choice') || turn.toolChoice !== 'auto') dropped.push('tool_choice');
    if (turn.given?.includes('parallel_tool_calls') || !turn.parallel) dropped.push('parallel_tool_calls');
  }
  if (turn.n > 1 || turn.given?.includes('n')) dropped.push('n');
  const options: JsonObject = isObject(sampling.options) ? copyMembers(sampling.options, {}) : {};
  if (options.num_ctx !== undefined || sampling.num_ctx !== undefined) dropped.push('num_ctx');
  delete options.num_ctx;
  for (const [name, value] of Object.entries(sampling)) {
    if (handled.has(name) || value === null || value === undefined) continue;
    const option = optionNames[name];
    if (option !== undefined) options[option] ??= name === 'stop' && typeof value === 'string' ? [value] : value;
    else if (members.has(name)) body[name] = value;
    else dropped.push(name);
  }
  if (target.contextTokens !== undefined) options.num_ctx = target.contextTokens;
  const think = thinkOf(sampling);
  if (think !== undefined) body.think = think;
  const format = formatOf(sampling);
  if (format !== undefined) body.format = format;
  if (Object.keys(options).length > 0) body.options = options;
  body.stream = turn.stream;
  return { path: '/api/chat', atRoot: true, body, dropped: [...(turn.dropped ?? []), ...dropped] };
}

/** Parameters that become another member, or have no meaning here. */
const handled = new Set([
  'options',
  'num_ctx',
  'think',
  'thinking',
  'reasoning_effort',
  'chat_template_kwargs',
  'format',
  'response_format',
  'stream_options',
  'stream',
]);

/** Members of the request itself that clients send under the same name. */
const members = new Set(['keep_alive', 'truncate', 'shift', 'logprobs', 'top_logprobs']);

/** Parameters of OpenAI's API, and of engines, by the names of Ollama's options. */
const optionNames: Readonly<Record<string, string>> = {
  max_tokens: 'num_predict',
  num_predict: 'num_predict',
  n_predict: 'num_predict',
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  min_p: 'min_p',
  typical_p: 'typical_p',
  seed: 'seed',
  stop: 'stop',
  presence_penalty: 'presence_penalty',
  frequency_penalty: 'frequency_penalty',
  repetition_penalty: 'repeat_penalty',
  repeat_penalty: 'repeat_penalty',
};

/** The client's `think`, or its effort as a level or a boolean. */
function thinkOf({ think, reasoning_effort, chat_template_kwargs }: JsonObject): JsonValue | undefined {
  if (think !== undefined && think !== null) return think;
  if (isObject(chat_template_kwargs) && typeof chat_template_kwargs.enable_thinking === 'boolean')
    return chat_template_kwargs.enable_thinking;
  if (typeof reasoning_effort !== 'string') return undefined;
  if (reasoning_effort === 'none') return false;
  if (reasoning_effort === 'minimal') return 'low';
  return reasoning_effort === 'xhigh' ? 'high' : reasoning_effort;
}

/** Constraints on the response, under this API's name. */
export const constraintFormat = (members: JsonObject): JsonObject => {
  const format = formatOf(members);
  return format === undefined ? members : { format };
};

/** `format` is `json` or a schema. */
function formatOf({ format, response_format }: JsonObject): JsonValue | undefined {
  if (format !== undefined && format !== null) return format;
  if (!isObject(response_format)) return undefined;
  if (response_format.type === 'json_object') return 'json';
  const { json_schema: named } = response_format;
  return response_format.type === 'json_schema' && isObject(named) ? named.schema : undefined;
}

const toolOf = ({ name, description, parameters }: Tool): JsonObject => ({
  type: 'function',
  function: {
    name,
    description: description ?? '',
    // Templates access a tool's parameters without checking that they exist.
    parameters: parameters ?? { type: 'object', properties: {} },
  },
});

function messagesOf({ messages }: Turn): JsonObject[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'assistant') for (const { id, name } of message.calls) names.set(id, name);
    return messageOf(message, names);
  });
}

/** `names`: of the earlier called tools, by the ids of their calls. */
function messageOf(message: Message, names: ReadonlyMap<string, string>): JsonObject {
  const content = textOf(message.content);
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content,
        ...(message.reasoning !== undefined && { thinking: message.reasoning }),
        ...(message.calls.length > 0 && {
          tool_calls: message.calls.map((call, index) => ({
            id: call.id,
            function: { index, name: call.name, arguments: argumentsOf(call.arguments) },
          })),
        }),
      };
    case 'tool': {
      const name = names.get(message.callId);
      return { role: 'tool', content, tool_call_id: message.callId, ...(name !== undefined && { tool_name: name }) };
    }
    case 'user': {
      const images = imagesIn(message.content);
      return { role: 'user', content, ...(images.length > 0 && { images }) };
    }
    default:
      return { role: 'system', content };
  }
}

/** Past arguments must be an object; other text is kept under a separate name instead of being lost. */
function argumentsOf(text: string): JsonObject {
  return text.trim() === '' ? {} : (argumentsObject(text) ?? { arguments: text });
}

/** Plain base64: the server accepts no data URL, and loads no URL. */
function imagesIn(content: Content): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap(({ type, image_url: image }) => {
    const url = type === 'image_url' ? (isObject(image) ? image.url : image) : undefined;
    const [, base64] = typeof url === 'string' ? (/^data:[^,]*;base64,([\s\S]*)$/.exec(url) ?? []) : [];
    return base64 === undefined ? [] : [base64];
  });
}
