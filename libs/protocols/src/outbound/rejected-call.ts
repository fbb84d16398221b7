import { isObject, type JsonValue, parseJson } from '@callsmith/turn';
import { endedWithError } from './engine-message.ts';

/**
 * The raw text of the model's call that an engine could not parse and reported as an error: Ollama's `error parsing
 * tool call: raw='…', err=…`, llama.cpp's `Failed to parse input at pos 12: …`. `undefined` for any other error, also
 * for one about calls in the request's history. Accepts the whole body of a response or a message.
 */
export function rejectedCall(body: string): string | undefined {
  const fullMessage = messageIn(parseJson(body)) ?? body;
  const message = fullMessage.startsWith(endedWithError) ? fullMessage.slice(endedWithError.length) : fullMessage;
  if (message.startsWith(ollama)) {
    const raw = message.slice(ollama.length);
    const end = raw.lastIndexOf("', err=");
    return end === -1 ? raw : raw.slice(0, end);
  }
  const llama = /^failed to parse input at pos \d{1,9}: ?/i.exec(message);
  return llama ? message.slice(llama[0].length) : undefined;
}

const ollama = "error parsing tool call: raw='";

function messageIn(body: JsonValue | undefined): string | undefined {
  if (!isObject(body)) return undefined;
  if (typeof body.error === 'string') return body.error;
  if (isObject(body.error) && typeof body.error.message === 'string') return body.error.message;
  return typeof body.message === 'string' ? body.message : undefined;
}
