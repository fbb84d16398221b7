/** A field of a value that may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** A string, at most 500 characters of it; else undefined. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, 500) : undefined;

/** A plausible context length in tokens; else undefined. */
export const tokens = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 2 ** 31 - 1 ? value : undefined;

/** A model's context length in tokens, under servers' different names in `/v1/models`. */
export function contextOf(model: unknown): number | undefined {
  const meta = memberOf(model, 'meta');
  return (
    tokens(memberOf(model, 'max_model_len')) ?? // vLLM, SGLang
    tokens(memberOf(model, 'context_length')) ?? // OpenRouter, Together
    tokens(memberOf(model, 'context_window')) ?? // Groq
    tokens(memberOf(model, 'max_context_length')) ?? // Mistral
    tokens(memberOf(meta, 'n_ctx')) ??
    tokens(memberOf(meta, 'n_ctx_train')) // llama.cpp
  );
}
