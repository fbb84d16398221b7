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
import { boundedList, invalidValue } from '../../checks.ts';
import { shortenedName } from '../../tools.ts';
import { reasoningIn } from '../reasoning-signature.ts';
import { imageMovedNote, imagesFollowNote } from '../result-images.ts';
import { contentOf, isText } from '../text-part.ts';
import { readPart, textParts } from './parts.ts';

/** A conversation parsed from this API's messages. */
export interface ReadMessages {
  readonly messages: readonly Message[];
  /** For each message, the path of its source. */
  readonly paths: readonly string[];
  /** Blocks that no model server accepts. */
  readonly dropped: readonly string[];
}

/**
 * Parses `messages`. A user message with results becomes one message for each of them, and one for everything else in
 * it.
 */
export function readMessages(value: JsonValue | undefined, most: number): ReadMessages {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidValue('messages', value, 'an array of at least one message');
  const parser = new MessageParser();
  for (const [at, message] of boundedList(value, 'messages', most).entries())
    parser.message(message, `messages[${at}]`);
  return parser;
}

/** Parses `system`, and the content of a message of that role; null if nothing is left of it. */
export function systemContent(value: JsonValue | undefined, at: string): Content {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return withoutBilling(value);
  if (!Array.isArray(value)) throw invalidValue(at, value, 'a string or an array of text blocks');
  const parts = value.flatMap((block, index): Part[] => {
    if (!isObject(block))
      throw invalidValue(`${at}[${index}]`, block, 'a text block such as {"type":"text","text":"…"}');
    // Beta blocks that add and remove tools: the offered tools contain the same information.
    if (block.type !== 'text' && typeof block.type === 'string') return [];
    const text = readPart(block, `${at}[${index}]`);
    return isText(text) && withoutBilling(text.text) !== null ? [text] : [];
  });
  return contentOf(parts);
}

/**
 * Claude Code's first block is billing information, in some versions with a hash per request: no two prompts would
 * share a prefix.
 */
const withoutBilling = (text: string): string | null =>
  text === '' || text.startsWith('x-anthropic-billing-header:') ? null : text;

class MessageParser implements ReadMessages {
  readonly messages: Message[] = [];
  readonly paths: string[] = [];
  readonly dropped: string[] = [];

  message(message: JsonValue, at: string): void {
    if (!isObject(message)) throw invalidValue(at, message, 'a message object with role and content');
    switch (message.role) {
      case 'user':
        this.user(message.content, at);
        return;
      case 'assistant':
        this.assistant(message.content, at);
        return;
      case 'system': {
        const content = systemContent(message.content, `${at}.content`);
        if (content !== null) this.add({ role: 'system', content }, at);
        return;
      }
      default:
        throw invalidValue(`${at}.role`, message.role, 'one of "user", "assistant", "system"');
    }
  }

  private add(message: Message, path: string): void {
    this.messages.push(message);
    this.paths.push(path);
  }

  /** Results come first, whatever is between them: model servers accept them only directly after their calls. */
  private user(content: JsonValue | undefined, at: string): void {
    if (typeof content === 'string') {
      this.add({ role: 'user', content }, at);
      return;
    }
    const pictures: Part[] = [];
    const rest: Part[] = [];
    for (const [block, path] of blocksOf(content, at)) {
      if (block.type === 'tool_result') this.result(block, path, pictures);
      else rest.push(...this.parts(block, path));
    }
    const parts = [...(pictures.length > 0 ? [imagesFollowNote] : []), ...pictures, ...rest];
    if (parts.length > 0) this.add({ role: 'user', content: contentOf(parts) }, at);
  }

  /** A result as text. Its images go to the following user message, since chat templates accept none among results. */
  private result(block: JsonObject, at: string, pictures: Part[]): void {
    if (typeof block.tool_use_id !== 'string' || block.tool_use_id === '')
      throw invalidValue(
        `${at}.tool_use_id`,
        block.tool_use_id,
        'the ID of the tool_use that this result belongs to',
        'invalid_tool_call_id',
      );
    const { is_error: failed, content } = block;
    if (failed !== undefined && failed !== null && typeof failed !== 'boolean')
      throw invalidValue(`${at}.is_error`, failed, 'true or false');
    const texts: string[] = [];
    const parts =
      content === undefined || content === null || typeof content === 'string'
        ? textParts(content ?? '')
        : blocksOf(content, at).flatMap(([inner, path]) => this.parts(inner, path));
    for (const part of parts) {
      if (isText(part)) texts.push(part.text);
      else {
        pictures.push(part);
        texts.push(imageMovedNote);
      }
    }
    const text = `${failed === true ? 'Error: ' : ''}${texts.join('\n')}`;
    this.add(
      {
        role: 'tool',
        callId: block.tool_use_id,
        content: isObject(block.cache_control) ? [{ type: 'text', text, cache_control: block.cache_control }] : text,
      },
      at,
    );
  }

  private assistant(content: JsonValue | undefined, at: string): void {
    if (typeof content === 'string') {
      this.add({ role: 'assistant', content, calls: [] }, at);
      return;
    }
    const parts: Part[] = [];
    const calls: PastCall[] = [];
    const reasoning: string[] = [];
    for (const [block, path] of blocksOf(content, at)) {
      if (block.type === 'tool_use') calls.push(pastCall(block, path));
      else if (block.type === 'thinking' || block.type === 'redacted_thinking') reasoning.push(...thought(block, path));
      else parts.push(...this.parts(block, path));
    }
    const text = contentOf(parts);
    if (text === null && calls.length === 0) return;
    this.add(
      {
        role: 'assistant',
        content: text,
        calls,
        ...(reasoning.length > 0 && { reasoning: reasoning.join('\n\n') }),
      },
      at,
    );
  }

  /** Any other block; one that no model server accepts is dropped and reported. */
  private parts(block: JsonObject, at: string): readonly Part[] {
    const part = readPart(block, at);
    if (part === undefined) {
      this.dropped.push(`${at} (${String(block.type).slice(0, 64)})`);
      return [];
    }
    return isText(part) && part.text === '' ? [] : [part];
  }
}

function blocksOf(content: JsonValue | undefined, at: string): [block: JsonObject, path: string][] {
  if (!Array.isArray(content)) throw invalidValue(`${at}.content`, content, 'a string or an array of blocks');
  return content.map((block, index) => {
    const path = `${at}.content[${index}]`;
    if (!isObject(block)) throw invalidValue(path, block, 'a block such as {"type":"text","text":"…"}');
    if (typeof block.type !== 'string') throw invalidValue(`${path}.type`, block.type, 'a string such as "text"');
    return [block, path];
  });
}

function pastCall(block: JsonObject, at: string): PastCall {
  const { id, name, input } = block;
  if (typeof id !== 'string' || id === '')
    throw invalidValue(`${at}.id`, id, "the call's id as a string", 'invalid_tool_call_id');
  if (typeof name !== 'string' || name === '') throw invalidValue(`${at}.name`, name, "the tool's name as a string");
  if (!isObject(input)) throw invalidValue(`${at}.input`, input, "the call's arguments as an object");
  return { id, name: shortenedName(name), arguments: writeJson(input) };
}

/** The reasoning of a block, if it is from the gateway's model: another model's is ignored. */
function thought(block: JsonObject, at: string): string[] {
  const text = block.type === 'redacted_thinking' ? '' : block.thinking;
  if (typeof text !== 'string') throw invalidValue(`${at}.thinking`, text, 'a string');
  const name = block.type === 'redacted_thinking' ? 'data' : 'signature';
  const signature = block[name];
  if (signature !== undefined && signature !== null && typeof signature !== 'string')
    throw invalidValue(`${at}.${name}`, signature, 'a string');
  const reasoning = reasoningIn(text, signature ?? '');
  return reasoning === undefined || reasoning === '' ? [] : [reasoning];
}
