import { Fault, isObject, type JsonObject, parseJson, type UpstreamEvent } from '@callsmith/turn';
import type { Listener } from '../observers/index.ts';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { CompletionJob } from './completion-job.ts';
import { withoutKey } from './without-key.ts';

/**
 * Counts a stream whose frames pass through as they come: when the first token came, how much text there was, the token
 * counts, and whether it broke off. Only payloads that may hold one of the last two are parsed.
 */
export function observePassthrough({
  response: { summary },
  record,
}: Pick<CompletionJob, 'response' | 'record'>): Listener<string> {
  return (payload) => {
    if (countText(payload, summary) || (summary.firstTokenAt === undefined && otherThanText.test(payload)))
      summary.sendToken();
    if (!mayMatter.test(payload)) return;
    const chunk = parseJson(payload);
    if (!isObject(chunk)) return;
    if (isObject(chunk.usage)) countUsage(chunk.usage, summary);
    if (isObject(chunk.error) && typeof chunk.error.message === 'string')
      summary.fail(
        withoutKey(
          new Fault('upstream_error', `The model server ended its response with an error: ${chunk.error.message}`),
          record.attempts.route?.upstream,
        ),
      );
  };
}

/** Counts an event of a whole reply that passes through as it came. */
export function observeWhole(event: UpstreamEvent, summary: ResponseSummary): void {
  if (event.type === 'call-fragment') return;
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') summary.count(event);
  else {
    summary.sendToken();
    summary.addPassedText(JSON.stringify(event.text).slice(1, -1));
  }
}

/** What a delta may hold that is no text and that a client sees all the same. */
const otherThanText = /"(?:tool_calls|function_call|audio|refusal)": ?[[{"]/;
const mayMatter = /"(?:usage": ?\{|error"|finish_reason": ?")/;

/** Text in a delta, reasoning of both names included: their keys end so. */
const keys = ['content":', 'reasoning":'] as const;
/** Counts the text in a payload; false if it holds none. Its JSON is not decoded. */
function countText(payload: string, summary: ResponseSummary): boolean {
  let found = false;
  for (const key of keys)
    for (let at = payload.indexOf(key); at !== -1; at = payload.indexOf(key, at)) {
      at += key.length;
      if (payload[at] === ' ') at++;
      if (payload[at] !== '"') continue;
      const end = endOfString(payload, at + 1);
      if (end === at + 1) continue;
      found = true;
      summary.addPassedText(payload.slice(at + 1, end));
      at = end;
    }
  return found;
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

function countUsage(usage: JsonObject, summary: ResponseSummary): void {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  if (typeof input !== 'number' || typeof output !== 'number') return;
  const cached = isObject(details) && typeof details.cached_tokens === 'number' ? details.cached_tokens : undefined;
  summary.count({
    type: 'usage',
    choice: 0,
    inputTokens: input,
    outputTokens: output,
    source: 'upstream',
    upstream: usage,
    ...(cached !== undefined && { cachedTokens: cached }),
  });
}
