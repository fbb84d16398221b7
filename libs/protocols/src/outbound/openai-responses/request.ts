import {
  type Content,
  copyMembers,
  copyNumberSources,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  plainContent,
  type Tool,
  type Turn,
} from '@callsmith/turn';
import type { Target, UpstreamRequest } from '../../outbound-adapter.ts';
import { engines } from '../engines.ts';
import { accepts, forwardable } from '../parameters.ts';
import { toolsFor } from '../tools-for.ts';

/** A turn as a `/responses` body for `target`, with the whole conversation; nothing is stored there. */
export function responsesRequest(turn: Turn, target: Target): UpstreamRequest {
  const { body: sampling, dropped } = forwardable(turn.sampling, target);
  const body: JsonObject = {
    model: target.model,
    input: turn.messages.flatMap((message, at) => itemsOf(message, at, target)),
  };
  if (turn.tools.size > 0) {
    body.tools = toolsFor(turn.tools, 'openai-responses', target, toolOf);
    if (turn.given?.includes('tool_choice') || turn.toolChoice !== 'auto') body.tool_choice = toolChoiceOf(turn);
    if (turn.given?.includes('parallel_tool_calls') || !turn.parallel) body.parallel_tool_calls = turn.parallel;
  }
  for (const name of ['tool_choice', 'parallel_tool_calls']) {
    if (body[name] === undefined || accepts(target, name)) continue;
    delete body[name];
    dropped.push(name);
  }
  copyNumberSources(sampling, body);
  for (const key of Object.keys(sampling)) setSampling(body, key, sampling[key] as JsonValue, dropped);
  if (turn.n > 1) dropped.push('n');
  body.stream = turn.stream;
  body.store = false;
  return { path: '/responses', body, dropped: [...(turn.dropped ?? []), ...dropped] };
}

/** Parameters of chat completions that this API does not have. */
const unknown = new Set([
  'stop',
  'seed',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'modalities',
  'audio',
  'prediction',
]);

function setSampling(body: JsonObject, key: string, value: JsonValue, dropped: string[]): void {
  switch (key) {
    case 'stream_options':
      return;
    case 'max_tokens':
    case 'max_completion_tokens':
      body.max_output_tokens = value;
      return;
    case 'reasoning_effort':
      body.reasoning = { effort: value };
      return;
    case 'response_format':
      body.text = { ...(isObject(body.text) && body.text), format: formatOf(value) };
      return;
    case 'verbosity':
      body.text = { ...(isObject(body.text) && body.text), verbosity: value };
      return;
    default:
      if (!unknown.has(key)) body[key] = value;
      else if (value !== null) dropped.push(key);
  }
}

function formatOf(format: JsonValue): JsonValue {
  if (!isObject(format) || !isObject(format.json_schema)) return format;
  return { type: 'json_schema', ...format.json_schema };
}

function toolOf(tool: Tool, target: Target): JsonObject {
  const extra = engines[target.kind].messageMembers === 'all' ? tool.extra?.tool : undefined;
  return copyMembers(extra ?? {}, {
    type: 'function',
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: tool.parameters ?? { type: 'object', properties: {} },
    ...(tool.strict !== undefined && accepts(target, 'strict') && { strict: tool.strict }),
  });
}

const toolChoiceOf = (turn: Turn): JsonValue =>
  typeof turn.toolChoice === 'string' ? turn.toolChoice : { type: 'function', name: turn.toolChoice.name };

/** One neutral message may be several items there. */
function itemsOf(message: Message, at: number, target: Target): JsonObject[] {
  switch (message.role) {
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: outputOf(message.content) }];
    case 'assistant': {
      const content = contentOf(message.content, 'output_text');
      return [
        ...reasoningOf(message, at, target),
        ...(content.length > 0 ? [{ type: 'message', role: 'assistant', content }] : []),
        ...message.calls.map((call) => ({
          type: 'function_call',
          call_id: call.id,
          name: call.name,
          arguments: call.arguments,
        })),
      ];
    }
    default:
      return [
        {
          type: 'message',
          role: message.role === 'developer' && !engines[target.kind].developerRole ? 'system' : message.role,
          content: contentOf(message.content, 'input_text'),
        },
      ];
  }
}

/** Engines' templates read past reasoning; OpenAI's own service accepts only what it encrypted itself. */
function reasoningOf({ reasoning }: Extract<Message, { role: 'assistant' }>, at: number, target: Target): JsonObject[] {
  if (reasoning === undefined || reasoning === '' || engines[target.kind].reasoningWhereKept) return [];
  // The id depends only on the position, so that a turn's request shares the prefix of the previous one.
  return [{ type: 'reasoning', id: `rs_${at}`, summary: [], content: [{ type: 'reasoning_text', text: reasoning }] }];
}

function outputOf(content: Content): JsonValue {
  const plain = plainContent(content);
  return plain === null || typeof plain === 'string' ? (plain ?? '') : contentOf(plain, 'input_text');
}

function contentOf(content: Content, text: 'input_text' | 'output_text'): JsonObject[] {
  if (content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: text, text: content }];
  return content.map((part) => {
    if (typeof part.text === 'string') return { type: text, text: part.text };
    if (part.type === 'file' && isObject(part.file)) return { type: 'input_file', ...part.file };
    if (part.type !== 'image_url') return part;
    const image = isObject(part.image_url) ? part.image_url : { url: part.image_url };
    return { type: 'input_image', image_url: image.url, ...(image.detail !== undefined && { detail: image.detail }) };
  });
}
