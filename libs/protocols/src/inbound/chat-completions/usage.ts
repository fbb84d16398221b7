import type { JsonObject, Usage } from '@callsmith/turn';

/** Token counts in this API's form: the upstream's own object if it has that form; estimated ones are marked. */
export function chatUsage(usage: Usage): JsonObject {
  if (usage.upstream && typeof usage.upstream.prompt_tokens === 'number') return usage.upstream;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...(usage.cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: usage.cachedTokens } }),
    ...(usage.source === 'estimated' && { estimated: true }),
  };
}
