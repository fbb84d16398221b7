import { randomUUID } from 'node:crypto';
import { type JsonObject, type JsonValue, type Message, type Turn, writeExact } from '@callsmith/turn';

/** UTF-16 units. Longer strings are written in slices of this length, in the bodies of turns with more text than this. */
const sliceLength = 1024 * 1024;

/** The body of a turn's request as JSON text, written in one go. */
export function writeBody({ exactNumbers }: Turn, body: JsonObject): string {
  if (exactNumbers) return writeExact(body);
  if (!Array.isArray(body.tools)) return JSON.stringify(body);
  const [before, behind] = JSON.stringify({ ...body, tools: toolsPlace }).split(`"${toolsPlace}"`);
  return `${before}${toolsText(body.tools)}${behind}`;
}

/** Stands for the tools while the rest is written. */
const toolsPlace = randomUUID();

const textOfTools = new WeakMap<object, string>();

/** The JSON text of a list of tools, which requests with the same tools share. */
function toolsText(tools: JsonValue[]): string {
  let text = textOfTools.get(tools);
  if (text === undefined) textOfTools.set(tools, (text = JSON.stringify(tools)));
  return text;
}

/** The same in steps, so that other requests run while a long text is escaped: a megabyte takes some milliseconds. */
export function* writeBodyInSteps(turn: Turn, body: JsonObject): Generator<undefined, string> {
  if (turn.exactNumbers || !isLong(turn.messages)) return writeBody(turn, body);
  const place = randomUUID();
  const texts: string[] = [];
  const frame = JSON.stringify(body, (_, member: unknown) => {
    if (typeof member !== 'string' || member.length <= sliceLength) return member;
    texts.push(member);
    return place;
  });
  const parts: string[] = [];
  for (const around of frame.split(`"${place}"`)) {
    parts.push(around);
    const text = texts.shift();
    if (text === undefined) continue;
    parts.push('"');
    for (let from = 0, to = 0; from < text.length; from = to) {
      to = from + sliceLength;
      if (isPair(text.charCodeAt(to - 1), text.charCodeAt(to))) to += 1;
      yield;
      parts.push(JSON.stringify(text.slice(from, to)).slice(1, -1));
    }
    parts.push('"');
  }
  yield;
  return parts.join('');
}

/** True if messages have more text together than one slice. */
function isLong(messages: readonly Message[]): boolean {
  let length = 0;
  for (const message of messages) {
    length += lengthOf(message.content);
    if (message.role === 'assistant') for (const call of message.calls) length += call.arguments.length;
    if (length > sliceLength) return true;
  }
  return false;
}

const lengthOf = (content: Message['content']): number =>
  typeof content === 'string'
    ? content.length
    : (content ?? []).reduce((sum, part) => sum + (typeof part.text === 'string' ? part.text.length : 0), 0);

/** Two surrogates that are one character. */
const isPair = (high: number, low: number): boolean =>
  high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
