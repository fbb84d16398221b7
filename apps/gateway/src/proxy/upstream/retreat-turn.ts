import type { Retreat } from '@callsmith/protocols';
import { choiceLines, repairPastArguments } from '@callsmith/toolcall';
import { type Content, isObject, type JsonObject, type Message, ToolTable, type Turn, textOf } from '@callsmith/turn';
import { simpleSchema } from './simple-schema.ts';
import { withSystemText } from './with-system-text.ts';
import { oneCallPerMessage } from './within-capabilities.ts';

/** Applies a retreat to a turn. Returns the very same turn if the retreat changes nothing. */
export const retreatTurn = (turn: Turn, retreat: Retreat): Turn => forms[retreat]?.(turn) ?? turn;

/** Parameters that `before` has and `after` has not; they are reported to the client as dropped. */
export function leftOut(before: Turn, after: Turn): string[] {
  const choice = (turn: Turn): boolean =>
    turn.toolChoice !== 'auto' || (turn.given?.includes('tool_choice') === true && turn.tools.size > 0);
  const strict = (turn: Turn): boolean => turn.tools.list.some((tool) => tool.strict !== undefined);
  return [
    ...(choice(before) && !choice(after) ? ['tool_choice'] : []),
    ...(strict(before) && after.tools.size > 0 && !strict(after) ? ['strict'] : []),
    ...(before.sampling.response_format !== undefined && after.sampling.response_format === undefined
      ? ['response_format']
      : []),
  ];
}

/**
 * What each retreat does to a turn. `prompt` and `again` change none: the first is another strategy, the second the
 * same request.
 */
const forms: { readonly [Name in Retreat]?: (turn: Turn) => Turn } = {
  'named-tool': (turn) => {
    const named = namedTools(turn);
    return named ? { ...turn, tools: named, toolChoice: 'required' } : turn;
  },
  'no-tool-choice': withoutToolChoice,
  'no-tools': (turn) =>
    turn.toolChoice === 'none' && turn.tools.size > 0 ? { ...withoutToolChoice(turn), tools: new ToolTable() } : turn,
  'said-choice': (turn) => {
    if (turn.tools.size === 0 || (turn.toolChoice !== 'required' && typeof turn.toolChoice !== 'object')) return turn;
    return withSystemText(turn, choiceLines(turn.toolChoice, true).join('\n'));
  },
  'simple-schemas': withSimpleSchemas,
  unconstrained: unconstrained,
  'valid-history': withValidHistory,
  'inline-as-user': withInlineAsUser,
  'one-system': withOneSystem,
  'plain-roles': withPlainRoles,
};

/** Only the tool that `tool_choice` names; undefined if it names none that is offered. */
function namedTools({ toolChoice, tools }: Turn): ToolTable | undefined {
  const tool = typeof toolChoice === 'object' ? tools.get(toolChoice.name) : undefined;
  return tool && new ToolTable([tool]);
}

/** Replaces `tool_choice` by an instruction in the system message, and the tools by those that may be called. */
function withoutToolChoice(turn: Turn): Turn {
  const { toolChoice, tools, given } = turn;
  if (tools.size === 0 || (toolChoice === 'auto' && given?.includes('tool_choice') !== true)) return turn;
  const free: Turn = {
    ...turn,
    toolChoice: 'auto',
    tools: toolChoice === 'none' ? new ToolTable() : (namedTools(turn) ?? tools),
    ...(given && { given: given.filter((name) => name !== 'tool_choice') }),
  };
  const lines = toolChoice === 'none' ? [] : choiceLines(toolChoice, true);
  return lines.length === 0 ? free : withSystemText(free, lines.join('\n'));
}

/**
 * Simplifies the schemas of tools and response format, so that every engine can make a grammar of them. Returns the
 * very same turn if they are simple already.
 */
export function withSimpleSchemas(turn: Turn): Turn {
  const tools = turn.tools.list.map((tool) => {
    const parameters = tool.parameters && simpleSchema(tool.parameters);
    return parameters === tool.parameters || parameters === undefined ? tool : { ...tool, parameters };
  });
  const format = turn.sampling.response_format;
  const schema = schemaOf(format);
  const simple = schema && simpleSchema(schema);
  if (simple === schema && tools.every((tool, at) => tool === turn.tools.list[at])) return turn;
  return {
    ...turn,
    tools: new ToolTable(tools),
    ...(simple !== schema &&
      isObject(format) &&
      isObject(format.json_schema) && {
        sampling: {
          ...turn.sampling,
          response_format: { ...format, json_schema: { ...format.json_schema, schema: simple as JsonObject } },
        },
      }),
  };
}

/** The schema in a `response_format` of the type `json_schema`. */
const schemaOf = (format: unknown): JsonObject | undefined =>
  isObject(format) && isObject(format.json_schema) && isObject(format.json_schema.schema)
    ? format.json_schema.schema
    : undefined;

/**
 * Replaces constraints by text: `tool_choice`, `strict` and `response_format` become instructions in the system
 * message. Engines' own fields such as `guided_regex` stay, as clients that send them depend on them.
 */
function unconstrained(turn: Turn): Turn {
  let free = turn.toolChoice === 'auto' || turn.toolChoice === 'none' ? turn : withoutToolChoice(turn);
  if (free.tools.list.some(({ strict }) => strict !== undefined))
    free = { ...free, tools: new ToolTable(free.tools.list.map(({ strict: _, ...tool }) => tool)) };
  const { response_format: format, ...sampling } = free.sampling;
  if (!isObject(format) || format.type === 'text') return free;
  const schema = schemaOf(format);
  const ask = 'Answer with JSON only: no prose, no code fence.';
  const line = schema ? `${ask} It must satisfy this JSON schema:\n${JSON.stringify(schema)}` : ask;
  return withSystemText({ ...free, sampling }, line);
}

/** Makes the arguments of past calls valid JSON objects, and gives each call a message of its own. */
function withValidHistory(turn: Turn): Turn {
  const past = turn.messages.filter((message) => message.role === 'assistant');
  const wrong = past.some(({ calls }) => calls.some((call) => repairPastArguments(call.arguments).wrong !== undefined));
  if (!wrong && past.every(({ calls }) => calls.length < 2)) return turn;
  const messages = turn.messages.map((message): Message => {
    if (message.role !== 'assistant' || message.calls.length === 0) return message;
    const calls = message.calls.map((call) => ({ ...call, arguments: validArguments(call.arguments) }));
    return { ...message, calls };
  });
  return { ...turn, messages: oneCallPerMessage(messages) };
}

/** Arguments as one JSON object; text that is not one becomes its member `input`. */
function validArguments(text: string): string {
  const { objects } = repairPastArguments(text);
  return objects.length === 1 ? (objects[0] as string) : JSON.stringify({ input: text });
}

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/**
 * Turns system messages within the conversation into user messages at the same place. Moved to the front, they would
 * change the prefix and with it what the server has cached. One next to a user message is joined with it, since the
 * templates that need this retreat refuse two user messages in a row.
 */
function withInlineAsUser(turn: Turn): Turn {
  const firstOther = turn.messages.findIndex((message) => !isSystem(message));
  if (firstOther < 0 || !turn.messages.slice(firstOther).some(isSystem)) return turn;
  const messages: Message[] = [];
  for (const [at, message] of turn.messages.entries()) {
    const inline = at > firstOther && isSystem(message);
    const last = messages.at(-1);
    const own: Message = inline ? { role: 'user', content: message.content } : message;
    if (own.role === 'user' && last?.role === 'user' && (inline || isSystem(turn.messages[at - 1] as Message)))
      messages[messages.length - 1] = { ...last, content: joined(last.content, own.content) };
    else messages.push(own);
  }
  return { ...turn, messages };
}

/** Joins all system messages into one at the front, and makes it a user message if there is none. */
function withOneSystem(turn: Turn): Turn {
  const { messages } = turn;
  const systems = messages.filter(isSystem);
  const hasUserMessage = messages.some(({ role }) => role === 'user');
  const [first] = messages;
  const alone = systems.length === 1 && first !== undefined && isSystem(first);
  if (systems.length === 0 || (alone && hasUserMessage)) return turn;
  const content = systems.map((message) => textOf(message.content)).join('\n\n');
  // Some templates fail without a user message.
  const lead: Message = { role: hasUserMessage ? 'system' : 'user', content };
  return { ...turn, messages: [lead, ...messages.filter((message) => !isSystem(message))] };
}

/** Leaves user, assistant and tool messages only: system text leads as a user message, and adjacent user messages are joined. */
function withPlainRoles(turn: Turn): Turn {
  const systemMessages = turn.messages.filter(isSystem).map((message) => textOf(message.content));
  const rest = turn.messages.filter((message) => !isSystem(message));
  const messages: Message[] = systemMessages.length > 0 ? [{ role: 'user', content: systemMessages.join('\n\n') }] : [];
  for (const message of rest) {
    const last = messages.at(-1);
    if (message.role !== 'user' || last?.role !== 'user') messages.push(message);
    else messages[messages.length - 1] = { ...last, content: joined(last.content, message.content) };
  }
  return systemMessages.length === 0 && messages.length === turn.messages.length ? turn : { ...turn, messages };
}

/** The contents of two messages as one. */
function joined(before: Content, behind: Content): Content {
  if (before === null || before === '') return behind;
  if (behind === null || behind === '') return before;
  if (typeof before === 'string' && typeof behind === 'string') return `${before}\n\n${behind}`;
  const parts = (content: Content): readonly JsonObject[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return [...parts(before), ...parts(behind)];
}
