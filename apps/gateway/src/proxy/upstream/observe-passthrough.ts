import { Fault, isObject, type JsonObject, parseJson, type UpstreamEvent } from '@callsmith/turn';
import type { Listener } from '../observers/index.ts';
import type { RequestRecord } from '../record/request-record.ts';
import { withoutKey } from './without-key.ts';

/**
 * Keeps the account of a stream that passes untouched: when the first token came, how much was said, the token counts,
 * and whether it broke off. Only payloads that may say one of the last two are parsed.
 */
export function observePassthrough(exchange: RequestRecord): Listener<string> {
  return (payload) => {
    const { summary } = exchange;
    if (sayText(payload, exchange) || (summary.firstTokenAt === undefined && otherThanText.test(payload)))
      summary.firstTokenAt ??= performance.now();
    if (mayMatter.test(payload)) read(payload, exchange);
  };
}

/** Keeps the account of a whole reply that passes untouched. */
export function observeWhole(event: UpstreamEvent, exchange: RequestRecord): void {
  if (event.type === 'call-fragment') return;
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') exchange.summary.add(event);
  else {
    exchange.summary.firstTokenAt ??= performance.now();
    sampleText(JSON.stringify(event.text).slice(1, -1), exchange);
  }
}

/** What a delta may hold that is no text and that a client sees all the same. */
const otherThanText = /"(?:tool_calls|function_call|audio|refusal)": ?[[{"]/;
const mayMatter = /"(?:usage": ?\{|error"|finish_reason": ?")/;

/** Text in a delta, reasoning of both names included: their keys end so. */
const keys = ['content":', 'reasoning":'] as const;
/** So much of what was said is kept for an estimate of its tokens. */
const longestSample = 8192;

/** Adds what a payload says to what was said; false if it says nothing. Its JSON is not decoded. */
function sayText(payload: string, exchange: RequestRecord): boolean {
  let says = false;
  for (const key of keys)
    for (let at = payload.indexOf(key); at !== -1; at = payload.indexOf(key, at)) {
      at += key.length;
      if (payload[at] === ' ') at++;
      if (payload[at] !== '"') continue;
      const end = endOfString(payload, at + 1);
      if (end === at + 1) continue;
      says = true;
      sampleText(payload.slice(at + 1, end), exchange);
      at = end;
    }
  return says;
}

/** Counts a text that went out, and keeps it if there is room in the sample. `json`: as it stands inside a JSON string. */
export function sampleText(json: string, exchange: RequestRecord): void {
  exchange.summary.textLength += json.length;
  if (exchange.textSample.length < longestSample)
    exchange.textSample += json.slice(0, longestSample - exchange.textSample.length);
}

/** Where the string ends that a position is in: at its closing quote, or at the payload's end. */
function endOfString(payload: string, from: number): number {
  let end = payload.indexOf('"', from);
  while (end !== -1 && payload[end - 1] === '\\' && isEscaped(payload, end)) end = payload.indexOf('"', end + 1);
  return end === -1 ? payload.length : end;
}

function isEscaped(payload: string, at: number): boolean {
  let slashes = 0;
  while (payload[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

function read(payload: string, exchange: RequestRecord): void {
  const chunk = parseJson(payload);
  if (!isObject(chunk)) return;
  if (isObject(chunk.usage)) addUsage(chunk.usage, exchange);
  if (isObject(chunk.error) && typeof chunk.error.message === 'string')
    exchange.fault ??= withoutKey(
      new Fault('upstream_error', `The model server ended its response with an error: ${chunk.error.message}`),
      exchange.route?.upstream,
    );
}

function addUsage(usage: JsonObject, exchange: RequestRecord): void {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  if (typeof input !== 'number' || typeof output !== 'number') return;
  const cached = isObject(details) && typeof details.cached_tokens === 'number' ? details.cached_tokens : undefined;
  exchange.summary.add({
    type: 'usage',
    choice: 0,
    inputTokens: input,
    outputTokens: output,
    source: 'upstream',
    ...(cached !== undefined && { cachedTokens: cached }),
  });
}
