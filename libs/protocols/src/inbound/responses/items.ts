import {
  type Content,
  isObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
  type PastCall,
} from '@callsmith/turn';
import { describeValue, wrong } from '../../checks.ts';
import { flatName } from './tools.ts';

/** A conversation read from input items. */
export interface ReadItems {
  readonly messages: readonly Message[];
  /** For each message, the path of the item that it began with. */
  readonly paths: readonly string[];
  /** Items that no model server takes. */
  readonly dropped: readonly string[];
}

/** Reads `input`: a string, or items of any kind that real clients send. */
export function readInput(input: JsonValue | undefined, most: number): ReadItems {
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }], paths: ['input'], dropped: [] };
  if (!Array.isArray(input)) throw wrong('input', input, 'a string or an array of items');
  if (input.length > most) throw wrong('input', input.length, `at most ${most} items`);
  const reading = new ItemParser();
  for (const [at, item] of input.entries()) reading.item(item, `input[${at}]`);
  return reading.done();
}

type Assistant = Extract<Message, { role: 'assistant' }>;

/** Joins what the API keeps in items of their own: one answer's reasoning, text and calls are one message. */
class ItemParser {
  private readonly messages: Message[] = [];
  private readonly paths: string[] = [];
  private readonly dropped: string[] = [];
  private answer: { message: Assistant; place: string } | undefined;

  done(): ReadItems {
    this.close();
    return { messages: this.messages, paths: this.paths, dropped: this.dropped };
  }

  item(item: JsonValue, at: string): void {
    if (!isObject(item)) throw wrong(at, item, 'an item object');
    switch (item.type ?? 'message') {
      case 'message':
        this.message(item, at);
        return;
      case 'reasoning':
        this.reasoning(item, at);
        return;
      case 'function_call':
        this.call({ id: callId(item, at), name: calledName(item, at), arguments: argumentsOf(item, at) }, at);
        return;
      case 'custom_tool_call':
        if (typeof item.input !== 'string') throw wrong(`${at}.input`, item.input, 'a string');
        this.call(
          { id: callId(item, at), name: calledName(item, at), arguments: JSON.stringify({ input: item.input }) },
          at,
        );
        return;
      case 'local_shell_call':
        this.call(
          {
            id: callId(item, at),
            name: 'local_shell',
            arguments: JSON.stringify(isObject(item.action) ? item.action : {}),
          },
          at,
        );
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'local_shell_call_output':
        this.add({ role: 'tool', callId: callId(item, at), content: outputOf(item.output, `${at}.output`) }, at);
        return;
      case 'item_reference':
        throw wrong(
          `${at}.id`,
          item.id,
          'the item itself, because items of earlier responses are not stored one by one; send previous_response_id or the item',
        );
      default:
        if (typeof item.type !== 'string') throw wrong(`${at}.type`, item.type, 'a string such as "message"');
        this.dropped.push(`${at} (${item.type.slice(0, 64)})`);
    }
  }

  private message(item: JsonObject, at: string): void {
    switch (item.role) {
      case 'system':
      case 'developer':
      case 'user':
        this.add({ role: item.role, content: contentOf(item.content, `${at}.content`) }, at);
        return;
      case 'assistant': {
        const content = contentOf(item.content, `${at}.content`);
        const open = this.answer;
        if (open && open.message.content === null && open.message.calls.length === 0)
          open.message = { ...open.message, content };
        else this.begin({ role: 'assistant', content, calls: [] }, at);
        return;
      }
      default:
        throw wrong(`${at}.role`, item.role, 'one of "system", "developer", "user", "assistant"');
    }
  }

  private reasoning(item: JsonObject, at: string): void {
    const text = [...texts(item.summary), ...texts(item.content)].join('\n\n');
    if (text !== '')
      this.begin(
        { role: 'assistant', content: null, reasoning: text, reasoningKey: 'reasoning_content', calls: [] },
        at,
      );
  }

  private call(call: PastCall, at: string): void {
    const open = this.answer;
    if (open) open.message = { ...open.message, calls: [...open.message.calls, call] };
    else this.begin({ role: 'assistant', content: null, calls: [call] }, at);
  }

  private begin(message: Assistant, place: string): void {
    this.close();
    this.answer = { message, place };
  }

  private add(message: Message, place: string): void {
    this.close();
    this.messages.push(message);
    this.paths.push(place);
  }

  private close(): void {
    const { answer } = this;
    this.answer = undefined;
    // Reasoning that nothing followed says nothing to a model.
    if (!answer || (answer.message.content === null && answer.message.calls.length === 0)) return;
    this.messages.push(answer.message);
    this.paths.push(answer.place);
  }
}

function callId(item: JsonObject, at: string): string {
  const id = item.call_id ?? (item.type === 'local_shell_call_output' ? item.id : undefined);
  if (typeof id !== 'string' || id === '')
    throw wrong(`${at}.call_id`, id, "the call's id as a string", 'invalid_tool_call_id');
  return id;
}

function calledName(item: JsonObject, at: string): string {
  if (typeof item.name !== 'string' || item.name === '')
    throw wrong(`${at}.name`, item.name, "the tool's name as a string");
  return typeof item.namespace === 'string' && item.namespace !== '' ? flatName(item.namespace, item.name) : item.name;
}

function argumentsOf(item: JsonObject, at: string): string {
  if (typeof item.arguments === 'string') return item.arguments;
  if (isObject(item.arguments)) return JSON.stringify(item.arguments);
  throw wrong(`${at}.arguments`, item.arguments, 'a string of JSON');
}

function outputOf(output: JsonValue | undefined, at: string): Content {
  if (output === undefined || output === null || typeof output === 'string' || Array.isArray(output))
    return contentOf(output, at);
  if (isObject(output)) return typeof output.content === 'string' ? output.content : JSON.stringify(output);
  throw wrong(at, output, 'a string or an array of parts');
}

function contentOf(content: JsonValue | undefined, at: string): Content {
  if (typeof content === 'string') return content;
  // Clients whose language leaves empty fields out send an empty content so.
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) throw wrong(at, content, 'a string or an array of parts');
  return content.map((part, index) => chatPart(part, `${at}[${index}]`));
}

/** A part in the form of chat completions, which is our own. */
function chatPart(part: JsonValue, at: string): Part {
  if (!isObject(part)) throw wrong(at, part, 'a part object such as {"type":"input_text","text":"…"}');
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      if (typeof part.text !== 'string') throw wrong(`${at}.text`, part.text, 'a string');
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: typeof part.refusal === 'string' ? part.refusal : '' };
    case 'input_image': {
      if (typeof part.image_url !== 'string')
        throw wrong(`${at}.image_url`, part.image_url, 'an address or data URL as a string');
      return {
        type: 'image_url',
        image_url: { url: part.image_url, ...(typeof part.detail === 'string' && { detail: part.detail }) },
      };
    }
    case 'input_file': {
      const { type: _, ...file } = part;
      return { type: 'file', file };
    }
    default:
      if (typeof part.type !== 'string')
        throw wrong(`${at}.type`, part.type, `a string such as "input_text", not ${describeValue(part.type)}`);
      return part;
  }
}

function texts(parts: JsonValue | undefined): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) =>
    isObject(part) && typeof part.text === 'string' && part.text !== '' ? [part.text] : [],
  );
}
