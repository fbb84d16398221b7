import { redact } from '@callsmith/data/redaction';
import { type Content, type JsonObject, type Message, parseJson, textOf } from '@callsmith/turn';
import type { Attributes } from '@opentelemetry/api';
import type { RequestRecord } from '../record/request-record.ts';
import { knownAttributes } from './span-attributes.ts';

/** The most UTF-16 units of content in one attribute: the newest messages, and the first tools. */
const longest = 128 * 1024;
/** The most UTF-16 units of one text. */
const longestText = 32 * 1024;

/** A message as OpenTelemetry writes it. */
export interface SpanMessage {
  readonly role: string;
  readonly parts: readonly JsonObject[];
  readonly finish_reason?: string;
}

/** The content of a request up to a limit, unmasked; undefined: the team's content is not exported. */
export interface SpanContent {
  readonly system: readonly SpanMessage[];
  readonly input: readonly SpanMessage[];
  readonly output: readonly SpanMessage[];
  readonly tools: readonly JsonObject[];
}

/** The content of a request, of a team whose bodies are stored. Secrets are not masked yet. */
export function contentOf({ request: { key, turn }, response }: RequestRecord): SpanContent | undefined {
  if (key?.storesBodies !== true || turn === undefined) return undefined;
  const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';
  const answer = response.answer.whole().choices.map(({ text, reasoning, calls, reason }) => ({
    role: 'assistant',
    parts: [...reasoningPart(reasoning), ...textPart(text), ...calls.map(callPart)],
    finish_reason: reason ?? 'stop',
  }));
  return {
    system: newest(turn.messages.filter(isSystem).map(messageOf)),
    input: newest(turn.messages.filter((message) => !isSystem(message)).map(messageOf)),
    output: answer.length > 0 ? newest(answer) : passed(response),
    tools: within(
      turn.tools.list.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        ...(description !== undefined && { description: cut(description) }),
        ...(parameters && { parameters }),
      })),
    ),
  };
}

/** The content as JSON attributes, secrets masked as in the record. Names: `gen_ai.*` of the opt-in level. */
export function contentAttributes(record: RequestRecord): Attributes {
  const content = contentOf(record);
  if (content === undefined) return {};
  return knownAttributes({
    'gen_ai.system_instructions': masked(content.system.flatMap(({ parts }) => parts)),
    'gen_ai.input.messages': masked(content.input),
    'gen_ai.output.messages': masked(content.output),
    'gen_ai.tool.definitions': masked(content.tools),
  });
}

/** Like `contentAttributes`, but as lists and objects, which the conventions require for events. */
export const structuredContent = (record: RequestRecord): JsonObject =>
  Object.fromEntries(
    Object.entries(contentAttributes(record)).map(([name, text]) => [name, parseJson(String(text)) ?? String(text)]),
  );

/** A list as JSON, secrets masked; undefined: it is empty. */
const masked = (list: readonly unknown[]): string | undefined =>
  list.length === 0 ? undefined : redact(JSON.stringify(list));

/** Of frames that passed through, the beginning of their text is known. */
function passed({ textSample, reason }: RequestRecord['response']): SpanMessage[] {
  let text: unknown;
  // The sample may end within an escape, which has six characters at most.
  for (let left = 0; left < 6 && text === undefined; left++)
    text = parseJson(`"${textSample.slice(0, textSample.length - left)}"`);
  if (typeof text !== 'string' || text === '') return [];
  return [{ role: 'assistant', parts: textPart(text), finish_reason: reason ?? 'stop' }];
}

function messageOf(message: Message): SpanMessage {
  if (message.role === 'tool')
    return {
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: message.callId, response: cut(textOf(message.content)) }],
    };
  const content = contentParts(message.content);
  if (message.role !== 'assistant') return { role: message.role, parts: content };
  return {
    role: 'assistant',
    parts: [...reasoningPart(message.reasoning), ...content, ...message.calls.map(callPart)],
  };
}

/** Content parts. Images and files are represented by their type only. */
function contentParts(content: Content): JsonObject[] {
  if (content === null || typeof content === 'string') return textPart(content ?? '');
  return content.flatMap((part) =>
    typeof part.text === 'string' ? textPart(part.text) : [{ type: String(part.type).slice(0, 64) }],
  );
}

const textPart = (text: string): JsonObject[] => (text === '' ? [] : [{ type: 'text', content: cut(text) }]);

const reasoningPart = (text: string | undefined): JsonObject[] =>
  text ? [{ type: 'reasoning', content: cut(text) }] : [];

const callPart = (call: { readonly id: string; readonly name: string; readonly arguments: string }): JsonObject => ({
  type: 'tool_call',
  id: call.id,
  name: call.name,
  arguments: cut(call.arguments),
});

const cut = (text: string): string => text.slice(0, longestText);

const newest = (messages: readonly SpanMessage[]): SpanMessage[] => within([...messages].reverse()).reverse();

/** As many items from the beginning as fit. */
function within<Item extends object>(items: readonly Item[]): Item[] {
  let left = longest;
  const kept: Item[] = [];
  for (const item of items) {
    left -= JSON.stringify(item).length;
    if (left < 0) break;
    kept.push(item);
  }
  return kept;
}
