import { isObject, type JsonObject, type JsonValue, type Usage } from '@callsmith/turn';

type UsageEvent = Usage & { readonly type: 'usage'; readonly choice: number };

/** Token counts of `/chat/completions`; `undefined` where there are none. */
export const chatUsage = (usage: JsonValue | undefined): UsageEvent | undefined =>
  isObject(usage)
    ? usageEvent(usage, usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details)
    : undefined;

/** Token counts of `/responses`; `undefined` where there are none. */
export const responsesUsage = (usage: JsonValue | undefined): UsageEvent | undefined =>
  isObject(usage) ? usageEvent(usage, usage.input_tokens, usage.output_tokens, usage.input_tokens_details) : undefined;

function usageEvent(
  upstream: JsonObject,
  input: JsonValue | undefined,
  output: JsonValue | undefined,
  inputDetails: JsonValue | undefined,
): UsageEvent | undefined {
  if (typeof input !== 'number') return undefined;
  const cached = isObject(inputDetails) ? inputDetails.cached_tokens : undefined;
  return {
    type: 'usage',
    choice: 0,
    inputTokens: input,
    outputTokens: typeof output === 'number' ? output : 0,
    ...(typeof cached === 'number' && { cachedTokens: cached }),
    source: 'upstream',
    upstream,
  };
}
