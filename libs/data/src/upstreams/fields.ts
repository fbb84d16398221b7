/** A field of what may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** What is a text, at most 500 characters of it. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, 500) : undefined;

/** What is a count of tokens a context may have. */
export const tokens = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 2 ** 31 - 1 ? value : undefined;

/** A model's context length in tokens, under the names servers give it in `/v1/models`. */
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
