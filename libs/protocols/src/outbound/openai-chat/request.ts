import {
  type Content,
  copyMembers,
  copyNumberSources,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
  plainContent,
  type Tool,
  type Turn,
} from '@callsmith/turn';
import type { Target, UpstreamRequest } from '../../outbound-adapter.ts';
import { engines } from '../engines.ts';
import { accepts, forwardable } from '../parameters.ts';
import { toolsFor } from '../tools-for.ts';

/** A turn as a `/chat/completions` body for `target`. */
export function chatRequest(turn: Turn, target: Target): UpstreamRequest {
  const { body: sampling, dropped } = forwardable(turn.sampling, target);
  const body: JsonObject = {
    model: target.model,
    messages: turn.messages.map((message) => messageOf(message, target)),
  };
  const offer = (name: string, value: JsonValue): void => {
    if (accepts(target, name)) body[name] = value;
    else dropped.push(name);
  };
  if (turn.tools.size > 0) {
    body.tools = toolsFor(turn.tools, 'openai-chat', target, toolOf);
    if (turn.given?.includes('tool_choice') || turn.toolChoice !== 'auto') offer('tool_choice', toolChoiceOf(turn));
    if (turn.given?.includes('parallel_tool_calls') || !turn.parallel) offer('parallel_tool_calls', turn.parallel);
  }
  if (turn.n > 1 || turn.given?.includes('n')) offer('n', turn.n);
  copyMembers(sampling, body);
  delete body.stream_options;
  body.stream = turn.stream;
  // The gateway needs the counts, whether or not the client wants them.
  if (turn.stream && accepts(target, 'stream_options'))
    body.stream_options = { ...(isObject(sampling.stream_options) && sampling.stream_options), include_usage: true };
  return { path: '/chat/completions', body, dropped: [...(turn.dropped ?? []), ...dropped] };
}

function toolOf(tool: Tool, target: Target): JsonObject {
  const parameters = tool.parameters ?? (engines[target.kind].needsParameters ? noParameters : undefined);
  return copyMembers(membersFor(tool.extra?.tool, target), {
    type: 'function',
    function: copyMembers(membersFor(tool.extra?.function, target), {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      ...(parameters && { parameters }),
      ...(tool.strict !== undefined && accepts(target, 'strict') && { strict: tool.strict }),
    }),
  });
}

const acceptsCacheControl = (target: Target): boolean =>
  engines[target.kind].cacheControl && accepts(target, 'cache_control');

/** OpenAI's own service refuses unknown members. */
const membersFor = (extra: JsonObject | undefined, target: Target): JsonObject =>
  extra && engines[target.kind].messageMembers === 'all' ? extra : none;

const none: JsonObject = {};

/** Chat templates access a tool's parameters without checking that they exist. */
const noParameters: JsonObject = { type: 'object', properties: {} };

function toolChoiceOf(turn: Turn): JsonValue {
  return typeof turn.toolChoice === 'string'
    ? turn.toolChoice
    : { type: 'function', function: { name: turn.toolChoice.name } };
}

function messageOf(message: Message, target: Target): JsonObject {
  const name = message.name === undefined ? {} : { name: message.name };
  const extra = extraOf(message.extra, target);
  switch (message.role) {
    case 'assistant':
      return copyMembers(extra, {
        role: 'assistant',
        content: assistantContent(message, target),
        ...reasoningOf(message, target),
        ...callsOf(message),
        ...name,
      });
    case 'tool':
      return copyMembers(extra, {
        role: 'tool',
        tool_call_id: message.callId,
        content: textContent(message.content, target) ?? '',
        ...name,
      });
    case 'user':
      return copyMembers(extra, {
        role: 'user',
        content: (engines[target.kind].plainContent ? textContent : partContent)(message.content, target) ?? '',
        ...name,
      });
    default:
      return copyMembers(extra, {
        role: message.role === 'developer' && !engines[target.kind].developerRole ? 'system' : message.role,
        content: textContent(message.content, target) ?? '',
        ...name,
      });
  }
}

/** Text-only content as one string, unless its parts carry cache hints that the server uses. */
function textContent(content: Content, target: Target): JsonValue {
  const parts = partContent(content, target);
  return Array.isArray(parts) && parts.some(hasCacheControl) ? parts : asJson(plainContent(parts as Content));
}

/** The client's own parts, not copied; without cache hints if the server does not use them. */
function partContent(content: Content, target: Target): JsonValue {
  if (!Array.isArray(content) || !content.some(hasCacheControl) || acceptsCacheControl(target)) return asJson(content);
  return content.map(({ cache_control: _, ...part }: Part): JsonObject => part);
}

const hasCacheControl = (part: unknown): boolean => isObject(part) && part.cache_control !== undefined;

const asJson = (content: Content): JsonValue => content as JsonValue;

type Assistant = Extract<Message, { role: 'assistant' }>;

function assistantContent(message: Assistant, target: Target): JsonValue {
  const content = textContent(message.content, target);
  if (content !== null) return content;
  if (engines[target.kind].messageMembers === 'all' && typeof message.extra?.refusal === 'string')
    return message.extra.refusal;
  // Ollama and several templates require a string; OpenAI's null is kept for those that accept it.
  return message.calls.length > 0 && !engines[target.kind].plainContent ? null : '';
}

function callsOf(message: Assistant): JsonObject {
  if (message.calls.length === 0) return {};
  return {
    tool_calls: message.calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

/** Engines' templates read past reasoning, each under its own name; OpenAI's own service refuses it. */
function reasoningOf({ reasoning }: Assistant, target: Target): JsonObject {
  const { pastReasoning, reasoningWhereKept } = engines[target.kind];
  if (reasoning === undefined || (reasoningWhereKept && target.keepsReasoning !== true)) return {};
  const members = pastReasoning.filter((name) => accepts(target, `messages.${name}`));
  return Object.fromEntries(members.map((name) => [name, reasoning]));
}

/** Members that SDKs leave on returned messages; no server needs them. */
const residue = new Set(['parsed', 'annotations', 'refusal', 'audio', 'status', 'id', 'reasoning_details']);

function extraOf(extra: JsonObject | undefined, target: Target): JsonObject {
  if (!extra) return {};
  const { messageMembers } = engines[target.kind];
  const kept: JsonObject = {};
  for (const key of Object.keys(extra)) {
    if (!residue.has(key) && messageMembers === 'all') kept[key] = extra[key];
    else if (messageMembers === 'service' && (key === 'refusal' || key === 'audio')) kept[key] = extra[key];
  }
  copyNumberSources(extra, kept);
  return kept;
}
