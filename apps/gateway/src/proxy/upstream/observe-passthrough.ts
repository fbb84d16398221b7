import { Fault, isObject, type JsonObject, parseJson, type UpstreamEvent } from '@callsmith/turn';
import type { Listener } from '../observers/index.ts';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { CompletionJob } from './completion-job.ts';
import { withoutKey } from './without-key.ts';

/**
 * Records what can be seen of a stream that passes through unparsed: the time of the first token, a sample of the text
 * and its length, token counts, and an error at its end. Only payloads that may hold token counts or an error are
 * parsed as JSON.
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

/** Records an event of a whole response that passes through unchanged. */
export function observeWhole(event: UpstreamEvent, summary: ResponseSummary): void {
  if (event.type === 'call-fragment') return;
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') summary.count(event);
  else {
    summary.sendToken();
    summary.addPassedWhole(event.text);
  }
}

/** Members of a delta that a client sees although they are no text. */
const otherThanText = /"(?:tool_calls|function_call|audio|refusal)": ?[[{"]/;
/** Payloads that may hold token counts or an error, or that end a choice. */
const mayMatter = /"(?:usage": ?\{|error"|finish_reason": ?")/;

/** How the keys of text in a delta end; `reasoning_content` and `reasoning` are among them. */
const keys = ['content":', 'reasoning":'] as const;
/** Adds the text in a payload to the summary, as it is escaped in the JSON. Returns false if there is none. */
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

/** The index of the quote that closes the JSON string around `from`, or the payload's length if there is none. */
function endOfString(payload: string, from: number): number {
  let end = payload.indexOf('"', from);
  while (end !== -1 && payload[end - 1] === '\\' && isEscaped(payload, end)) end = payload.indexOf('"', end + 1);
  return end === -1 ? payload.length : end;
}

/** True if an odd number of backslashes precedes the character at `at`. */
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
