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
import { imageMovedNote, imagesFollowNote } from '../result-images.ts';
import { contentOf, isText } from '../text-part.ts';
import { member } from './members.ts';
import { objectAt, readPart } from './parts.ts';
import { signedReasoning } from './thought-signature.ts';

/** A conversation parsed from this API's contents. */
export interface ReadContents {
  readonly messages: readonly Message[];
  /** For each message, the path of its source. */
  readonly paths: readonly string[];
  /** Parts that no model server accepts. */
  readonly dropped: readonly string[];
}

/**
 * Parses `contents`. A content with results becomes one message for each of them, and one for everything else in it.
 */
export function readContents(value: JsonValue | undefined, most: number): ReadContents {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidValue('contents', value, 'an array of at least one content');
  const parser = new ContentsParser();
  for (const [at, content] of boundedList(value, 'contents', most).entries())
    parser.content(content, `contents[${at}]`);
  return parser;
}

/** Parses `systemInstruction`; null if it is empty. */
export function readInstruction(value: JsonValue | undefined): Content {
  if (value === undefined) return null;
  if (typeof value === 'string') return value === '' ? null : value;
  const at = 'systemInstruction';
  return contentOf(
    partsOf(objectAt(value, at), at).flatMap(([part, path]): Part[] => {
      const read = readPart(part, path);
      return read ? [read] : [];
    }),
  );
}

class ContentsParser implements ReadContents {
  readonly messages: Message[] = [];
  readonly paths: string[] = [];
  readonly dropped: string[] = [];
  /** Calls without a result so far, oldest first. */
  private unanswered: PastCall[] = [];

  content(value: JsonValue, at: string): void {
    const content = objectAt(value, at);
    switch (content.role ?? 'user') {
      case 'user':
      // Results used to have their own role.
      case 'function':
        this.user(content, at);
        return;
      case 'model':
        this.model(content, at);
        return;
      default:
        throw invalidValue(`${at}.role`, content.role, 'one of "user", "model"');
    }
  }

  private add(message: Message, path: string): void {
    this.messages.push(message);
    this.paths.push(path);
  }

  /** Results come first, whatever is between them: model servers accept them only directly after their calls. */
  private user(content: JsonObject, at: string): void {
    const pictures: Part[] = [];
    const rest: Part[] = [];
    for (const [part, path] of partsOf(content, at)) {
      const response = member(part, 'functionResponse');
      if (response === undefined) rest.push(...this.contentParts(part, path));
      else {
        const place = `${path}.functionResponse`;
        this.result(objectAt(response, place), place, pictures);
      }
    }
    const parts = [...(pictures.length > 0 ? [imagesFollowNote] : []), ...pictures, ...rest];
    if (parts.length > 0) this.add({ role: 'user', content: contentOf(parts) }, at);
  }

  /** A result as text. Its images go to the following user message, since chat templates accept none among results. */
  private result(response: JsonObject, at: string, pictures: Part[]): void {
    const name = nameIn(response, at);
    const call = this.answered(name, idIn(response, name, at));
    const texts = [resultText(member(response, 'response'), `${at}.response`)];
    for (const [part, path] of response.parts === undefined ? [] : partsOf(response, at)) {
      const read = readPart(part, path);
      if (isText(read)) texts.push(read.text);
      else if (read) {
        pictures.push(read);
        texts.push(imageMovedNote);
      }
    }
    this.add({ role: 'tool', callId: call, content: texts.filter((text) => text !== '').join('\n') }, at);
  }

  /** The id of a result's call: the one it names, else the oldest of that name without a result. */
  private answered(name: string, id: string | undefined): string {
    const named = this.unanswered.find((call) => call.id === id);
    const call = named ?? this.unanswered.find((one) => one.name === name);
    if (call) this.unanswered = this.unanswered.filter((one) => one !== call);
    return call?.id ?? id ?? `call_of_${name}`;
  }

  private model(content: JsonObject, at: string): void {
    const parts: Part[] = [];
    const calls: PastCall[] = [];
    const reasoning: string[] = [];
    for (const [part, path] of partsOf(content, at)) {
      const signature = member(part, 'thoughtSignature');
      const thought = typeof signature === 'string' ? signedReasoning(signature) : undefined;
      if (thought !== undefined) reasoning.push(thought);
      const call = member(part, 'functionCall');
      if (call !== undefined) calls.push(this.call(objectAt(call, `${path}.functionCall`), `${path}.functionCall`));
      // Another model's thoughts are ignored; those of the gateway's models are in the signature.
      else if (part.thought !== true) parts.push(...this.contentParts(part, path));
    }
    const text = contentOf(parts);
    this.unanswered = calls;
    if (text === null && calls.length === 0) return;
    this.add(
      {
        role: 'assistant',
        content: text,
        calls: [...calls],
        ...(reasoning.length > 0 && { reasoning: reasoning.join('\n\n') }),
      },
      at,
    );
  }

  private call(call: JsonObject, at: string): PastCall {
    const name = nameIn(call, at);
    const args = call.args ?? {};
    if (!isObject(args)) throw invalidValue(`${at}.args`, args, "the call's arguments as an object");
    // The same conversation gets the same ids again, so that a server finds its prefix in its cache.
    const id = idIn(call, name, at) ?? `call_${at.replace(/\D+/g, '_').replace(/^_|_$/g, '')}`;
    return { id, name, arguments: writeJson(args) };
  }

  /** Any other part; one that no model server accepts is dropped and reported. */
  private contentParts(part: JsonObject, at: string): readonly Part[] {
    const read = readPart(part, at);
    if (read !== undefined) return isText(read) && read.text === '' ? [] : [read];
    const [name] = Object.keys(part).filter((key) => !beside.has(key));
    if (name !== undefined) this.dropped.push(`${at} (${name.slice(0, 64)})`);
    return [];
  }
}

/** Members that describe a part and are no content themselves. */
const beside = new Set(['thought', 'thoughtSignature', 'thought_signature', 'videoMetadata', 'partMetadata']);

function partsOf(content: JsonObject, at: string): [part: JsonObject, path: string][] {
  const { parts } = content;
  if (!Array.isArray(parts)) throw invalidValue(`${at}.parts`, parts, 'an array of parts such as {"text":"…"}');
  return parts.map((part, index) => {
    const path = `${at}.parts[${index}]`;
    if (!isObject(part)) throw invalidValue(path, part, 'a part such as {"text":"…"}');
    return [part, path];
  });
}

function nameIn({ name }: JsonObject, at: string): string {
  if (typeof name !== 'string' || name === '') throw invalidValue(`${at}.name`, name, "the tool's name as a string");
  return shortenedName(name);
}

/** The id of a call; Gemini CLI puts the tool's name before it. */
function idIn({ id }: JsonObject, name: string, at: string): string | undefined {
  if (id === undefined || id === null || id === '') return undefined;
  if (typeof id !== 'string') throw invalidValue(`${at}.id`, id, "the call's id as a string", 'invalid_tool_call_id');
  return id.startsWith(`${name}__`) ? id.slice(name.length + 2) : id;
}

/** A tool's result: its `output` or its `error`, or all of it if it has neither. */
function resultText(response: JsonValue | undefined, at: string): string {
  if (response === undefined) return '';
  const { output, error } = objectAt(response, at);
  if (error !== undefined && error !== null) return `Error: ${typeof error === 'string' ? error : writeJson(error)}`;
  const result = output ?? response;
  return typeof result === 'string' ? result : writeJson(result);
}
