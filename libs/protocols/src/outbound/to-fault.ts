import { Fault, type FaultCode, isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { Target } from '../outbound-adapter.ts';
import { isContextExceeded } from './engine-failures.ts';
import { type ErrorMessage, endedWithError, errorMessageIn, withoutEcho } from './engine-message.ts';

/** An upstream's error response. */
export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An error response as a fault for the client; the message is the upstream's, HTML is named and never shown. */
export function toFault(reply: ErrorReply, target: Target): Fault {
  const error = read(reply.body);
  if (error && isContextError(error))
    return new Fault('context_length_exceeded', error.message, { param: error.param ?? 'messages' });
  const { code, status } = rowFor(reply.status);
  return new Fault(code, sentence(reply, target, error), {
    status,
    ...(code === 'upstream_rejected' && error?.param !== undefined && { param: error.param }),
    ...((status === 429 || status === 503) && { headers: { 'retry-after': retryAfter(reply) } }),
  });
}

/** The fault in a 200's body or in a stream's event, if it is an error object. */
export function faultIn(body: JsonObject): Fault | undefined {
  const isError = (body.error !== undefined && body.error !== null) || body.object === 'error';
  const error = isError ? errorMessageIn(body) : undefined;
  if (!error) return undefined;
  if (isContextError(error)) return new Fault('context_length_exceeded', error.message);
  const { code, status } = rowFor(error.status ?? 500);
  return new Fault(code, endedWithError + error.message, { status });
}

function rowFor(status: number): { code: FaultCode; status: number } {
  switch (status) {
    case 429:
      return { code: 'upstream_rate_limited', status: 429 };
    case 503:
    case 529:
      return { code: 'upstream_error', status: 503 };
    case 408:
    case 504:
      return { code: 'upstream_timeout', status: 504 };
    // Its credentials, its model name and its address are the operator's: no client can fix them.
    case 401:
    case 402:
    case 403:
    case 404:
    case 405:
      return { code: 'upstream_error', status: 502 };
    default:
      return status >= 400 && status < 500
        ? { code: 'upstream_rejected', status: 400 }
        : { code: 'upstream_error', status: 502 };
  }
}

function sentence(reply: ErrorReply, target: Target, error: ErrorMessage | undefined): string {
  const who = `The upstream "${target.upstream}"`;
  switch (reply.status) {
    // Its message may contain a part of the credential.
    case 401:
    case 403:
      return `${who} refuses the gateway's own credentials (HTTP ${reply.status}). Check its key on the Upstreams page.`;
    case 404:
      return `${who} answered 404: ${error?.message ?? 'no such address'}. Check that its base URL ends in /v1 and that it serves "${target.model}".`;
    default:
      if (error && reply.status < 500) return error.message;
      return `${who} answered ${reply.status}${error ? `: ${error.message}` : whatElse(reply.body)}`;
  }
}

function whatElse(body: string): string {
  const text = body.trim();
  if (text === '') return ' without a body.';
  if (/^<(?:!doctype|html|head|body)/i.test(text))
    return ' with an HTML page, so something else than a model server (a proxy, a login page) answers there.';
  return ' with a body that is not JSON.';
}

/** Every 429 and 503 has one: several clients give up immediately on a 429 without it. */
function retryAfter(reply: ErrorReply): string {
  const value = reply.headers['retry-after'];
  return value !== undefined && /^\d{1,6}(?:\.\d{1,3})?$/.test(value)
    ? String(Math.max(1, Math.ceil(Number(value))))
    : '2';
}

function isContextError(error: ErrorMessage): boolean {
  if (error.code === 'context_length_exceeded' || isContextExceeded(error.message)) return true;
  const text = withoutEcho(error.message).toLowerCase();
  return contextWords.some((words) => text.includes(words));
}

/** The messages of OpenAI, vLLM, SGLang, llama.cpp and LM Studio for a prompt that is too long. */
const contextWords = [
  'maximum context length',
  'context length exceeded',
  "model's context length",
  'exceeds the available context size',
  'exceed_context_size',
  'exceeds the context length',
  'exceeds the context window',
  'longer than the maximum model length',
  'greater than the context length',
  'maximum model length',
  'prompt is too long',
];

function read(body: string): ErrorMessage | undefined {
  const parsed = parseJson(body);
  return isObject(parsed) ? errorMessageIn(parsed) : undefined;
}
