import type { Upstream } from '@callsmith/contracts';

type Kind = NonNullable<Upstream['kind']['value']>;

/** Kinds of model servers, by their own names. */
export const kindNames: Record<Kind, string> = {
  vllm: 'vLLM',
  sglang: 'SGLang',
  llamacpp: 'llama.cpp',
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  openai: 'OpenAI-compatible',
};
