import type { Retreat } from '@callsmith/protocols';
import { choiceLines, repairPastArguments } from '@callsmith/toolcall';
import { type Content, isObject, type JsonObject, type Message, ToolTable, type Turn, textOf } from '@callsmith/turn';
import { simpleSchema } from './simple-schema.ts';
import { withSystemText } from './with-system-text.ts';
import { oneCallPerMessage } from './within-capabilities.ts';

/** A turn in the form of a retreat, as it is sent; the very same turn where that changes nothing. */
export const retreatTurn = (turn: Turn, retreat: Retreat): Turn => forms[retreat]?.(turn) ?? turn;

/** Parameters of `before` that `after` does not have; they are reported to the client as dropped. */
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

/** `prompt` and `again` change no turn: one is another strategy, the other the same request. */
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

/** The tools cut to the one that is to be called; undefined where none is named. */
function namedTools({ toolChoice, tools }: Turn): ToolTable | undefined {
  const tool = typeof toolChoice === 'object' ? tools.get(toolChoice.name) : undefined;
  return tool && new ToolTable([tool]);
}

function withoutToolChoice(turn: Turn): Turn {
  const { toolChoice, tools, given } = turn;
  if (tools.size === 0 || (toolChoice === 'auto' && given?.includes('tool_choice') !== true)) return turn;
  const asked: Turn = {
    ...turn,
    toolChoice: 'auto',
    tools: toolChoice === 'none' ? new ToolTable() : (namedTools(turn) ?? tools),
    ...(given && { given: given.filter((name) => name !== 'tool_choice') }),
  };
  const lines = toolChoice === 'none' ? [] : choiceLines(toolChoice, true);
  return lines.length === 0 ? asked : withSystemText(asked, lines.join('\n'));
}

/** A turn with schemas of which every engine can make a grammar; the very same where they are such. */
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

/** Engines' own fields such as `guided_regex` stay: who sends those wants nothing else. */
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

/** One JSON object; what is none becomes its `input`. */
function validArguments(text: string): string {
  const { objects } = repairPastArguments(text);
  return objects.length === 1 ? (objects[0] as string) : JSON.stringify({ input: text });
}

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

/**
 * What the system says amid a conversation stays where it is: at the front it would change what all that follows is
 * cached by. Beside the user's own words it is one message with them, since such templates take no two in a row.
 */
function withInlineAsUser(turn: Turn): Turn {
  const begun = turn.messages.findIndex((message) => !isSystem(message));
  if (begun < 0 || !turn.messages.slice(begun).some(isSystem)) return turn;
  const messages: Message[] = [];
  for (const [at, message] of turn.messages.entries()) {
    const inline = at > begun && isSystem(message);
    const last = messages.at(-1);
    const own: Message = inline ? { role: 'user', content: message.content } : message;
    if (own.role === 'user' && last?.role === 'user' && (inline || isSystem(turn.messages[at - 1] as Message)))
      messages[messages.length - 1] = { ...last, content: joined(last.content, own.content) };
    else messages.push(own);
  }
  return { ...turn, messages };
}

function withOneSystem(turn: Turn): Turn {
  const { messages } = turn;
  const systems = messages.filter(isSystem);
  const hasUserMessage = messages.some(({ role }) => role === 'user');
  const [first] = messages;
  const alone = systems.length === 1 && first !== undefined && isSystem(first);
  if (systems.length === 0 || (alone && hasUserMessage)) return turn;
  const content = systems.map((message) => textOf(message.content)).join('\n\n');
  // Some templates look for the user's question, whatever there is.
  const lead: Message = { role: hasUserMessage ? 'system' : 'user', content };
  return { ...turn, messages: [lead, ...messages.filter((message) => !isSystem(message))] };
}

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

function joined(before: Content, behind: Content): Content {
  if (before === null || before === '') return behind;
  if (behind === null || behind === '') return before;
  if (typeof before === 'string' && typeof behind === 'string') return `${before}\n\n${behind}`;
  const parts = (content: Content): readonly JsonObject[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return [...parts(before), ...parts(behind)];
}
