import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';

/** The message of an upstream's error body, in any form. */
export interface ErrorMessage {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  /** The HTTP status that the body mentions. */
  readonly status?: number;
}

/** The prefix of the gateway's own message about an error in mid-stream; the engine's message follows. */
export const endedWithError = 'The model server ended its response with an error: ';

/**
 * The engine's own message in an error response's body, or in a fault's message. What it repeats of the request is cut
 * off, as far as engines mark it: a client's text must not be mistaken for an engine's.
 */
export function engineMessage(text: string): string {
  const parsed = parseJson(text);
  const message = (isObject(parsed) ? errorMessageIn(parsed)?.message : undefined) ?? text;
  return withoutEcho(message.startsWith(endedWithError) ? message.slice(endedWithError.length) : message);
}

/** True if an error response's body has an engine's form, rather than a proxy's page or nothing. */
export function holdsError(body: string): boolean {
  const parsed = parseJson(body);
  return isObject(parsed) && errorMessageIn(parsed) !== undefined;
}

/** pydantic repeats the refused value as `'input': …`, llama.cpp the tools as `; tools = …`. */
export function withoutEcho(message: string): string {
  let end = Math.min(message.length, longestLookedAt);
  for (const mark of ["'input':", '"input":', '; tools = ']) {
    const at = message.indexOf(mark);
    if (at !== -1 && at < end) end = at;
  }
  return message.slice(0, end).replace(/(['"`])[^'"`]{65,}\1/g, '$1$1');
}

const longestLookedAt = 400;

/**
 * OpenAI's `{error:{message}}`, vLLM's `{object:"error",message}`, Ollama's `{error:"…"}`, FastAPI's `{detail}`,
 * a bare `{message}`.
 */
export function errorMessageIn(body: JsonObject): ErrorMessage | undefined {
  if (typeof body.error === 'string') return { message: clean(body.error) };
  const from = isObject(body.error) ? body.error : body;
  const message = textOf(from.message) ?? textOf(from.msg) ?? textOf(from.detail) ?? textOf(from.error);
  if (message === undefined) return undefined;
  const code = from.code ?? from.type;
  return {
    message,
    ...(typeof from.param === 'string' && { param: from.param }),
    ...(typeof from.code === 'number' && from.code >= 400 && from.code < 600 && { status: from.code }),
    ...(typeof code === 'string' && {
      code: from.type === 'exceed_context_size_error' ? 'context_length_exceeded' : code,
    }),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return clean(typeof value === 'string' ? value : JSON.stringify(value));
}

const clean = (text: string): string => {
  const plain = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  return plain.length > 4000 ? `${plain.slice(0, 4000)}…` : plain;
};
