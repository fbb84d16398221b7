import type { JsonObject, Usage } from '@callsmith/turn';

/** Token counts in this API's form, in which cached tokens are not part of the input. */
export function messageUsage(usage: Usage | undefined): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, source } = usage ?? {};
  const cached = Math.min(cachedTokens, inputTokens);
  return {
    input_tokens: inputTokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: outputTokens,
    ...(source === 'estimated' && { estimated: true }),
  };
}
