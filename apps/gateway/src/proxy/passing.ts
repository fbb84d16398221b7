import { Fault, isObject, type JsonObject, parseJson } from '@callsmith/turn';
import type { Exchange } from './exchange.ts';
import type { Ear } from './observers/index.ts';
import { withoutKey } from './without-key.ts';

/**
 * Keeps the account of a stream that passes untouched: when the first token came, the token counts, and whether it
 * broke off. Only payloads that may say one of these are parsed.
 */
export function hearPassing(exchange: Exchange): Ear<string> {
  return (payload) => {
    const { account } = exchange;
    if (account.firstTokenAt === undefined && saysSomething(payload)) account.firstTokenAt = performance.now();
    if (payload.includes('"usage":{') || payload.includes('"error"') || payload.includes('"finish_reason":"'))
      read(payload, exchange);
  };
}

/** True for a delta with text, reasoning or anything else but a role. */
const saysSomething = (payload: string): boolean => /"(?:content|reasoning|reasoning_content)":"[^"]/.test(payload);

function read(payload: string, exchange: Exchange): void {
  const chunk = parseJson(payload);
  if (!isObject(chunk)) return;
  if (isObject(chunk.usage)) addUsage(chunk.usage, exchange);
  if (isObject(chunk.error) && typeof chunk.error.message === 'string')
    exchange.fault ??= withoutKey(
      new Fault('upstream_error', `The model server broke off with an error: ${chunk.error.message}`),
      exchange.route?.upstream,
    );
}

function addUsage(usage: JsonObject, exchange: Exchange): void {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  if (typeof input !== 'number' || typeof output !== 'number') return;
  const cached = isObject(details) && typeof details.cached_tokens === 'number' ? details.cached_tokens : undefined;
  exchange.account.add({
    type: 'usage',
    choice: 0,
    inputTokens: input,
    outputTokens: output,
    source: 'upstream',
    ...(cached !== undefined && { cachedTokens: cached }),
  });
}
