import { isObject, type JsonObject, type UpstreamKind } from '@callsmith/turn';
import type { Target } from '../outbound-adapter.ts';

/** Where a request goes is the operator's to say: these never leave the gateway, whatever the upstream. */
const routing: ReadonlySet<string> = new Set([
  'api_base',
  'base_url',
  'api_key',
  'headers',
  'extra_headers',
  'extra_body',
  'extra_query',
  'custom_llm_provider',
]);

/** True for what would steer a router: no server gets it as it came. */
export const steers = (parameter: string): boolean => routing.has(parameter) || parameter === 'metadata';

/** Only engines know these; OpenAI's own service answers 400 to them. */
const engineOnly = [
  'top_k',
  'min_p',
  'top_a',
  'typical_p',
  'repetition_penalty',
  'repeat_penalty',
  'length_penalty',
  'mirostat',
  'mirostat_tau',
  'mirostat_eta',
  'ignore_eos',
  'min_tokens',
  'stop_token_ids',
  'include_stop_str_in_output',
  'skip_special_tokens',
  'spaces_between_special_tokens',
  'best_of',
  'use_beam_search',
  'early_stopping',
  'add_generation_prompt',
  'continue_final_message',
  'add_special_tokens',
  'echo',
  'chat_template',
  'chat_template_kwargs',
  'documents',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'guided_decoding_backend',
  'structured_outputs',
  'structural_tag',
  'grammar',
  'grammar_lazy',
  'grammar_triggers',
  'json_schema',
  'regex',
  'ebnf',
  'lora_path',
  'n_predict',
  'num_ctx',
  'num_predict',
  'keep_alive',
  'options',
  'think',
  'format',
  'cache_prompt',
  'id_slot',
  'samplers',
  'separate_reasoning',
  'stream_reasoning',
  'priority',
  'truncate_prompt_tokens',
  'search_parameters',
  'thinking',
] as const;

/** Only OpenAI's own service knows these. */
const serviceOnly = [
  'store',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'search_parameters',
  'web_search_options',
  'prediction',
  'modalities',
  'audio',
  'moderation',
] as const;

/** What each kind of server cannot take. Engines that ignore what they do not know get what the client sent (L-2). */
const cannotTake: Readonly<Record<UpstreamKind, ReadonlySet<string>>> = {
  vllm: new Set(serviceOnly),
  sglang: new Set(serviceOnly),
  llamacpp: new Set([...serviceOnly, 'user']),
  ollama: new Set([...serviceOnly, 'user', 'tool_choice', 'parallel_tool_calls', 'n', 'logit_bias']),
  lmstudio: new Set([...serviceOnly, 'user', 'parallel_tool_calls', 'n']),
  openai: new Set(engineOnly),
};

/** Kinds that know an answer's bound only as `max_tokens`. */
const oldBound: ReadonlySet<UpstreamKind> = new Set(['llamacpp', 'ollama', 'lmstudio']);

/** What may go along to `target`, and the names of what may not; the client is told of the latter. */
export function forwardable(sampling: JsonObject, target: Target): { body: JsonObject; dropped: string[] } {
  const body: JsonObject = {};
  const dropped: string[] = [];
  for (const key of Object.keys(sampling)) {
    const value = sampling[key];
    if (value === undefined) continue;
    if (takes(target, key)) body[key] = value;
    else if (value !== null) dropped.push(key);
  }
  if (body.metadata !== undefined && !isServiceMetadata(body.metadata, target)) {
    delete body.metadata;
    dropped.push('metadata');
  }
  renameBound(body, sampling, target, dropped);
  return { body, dropped };
}

/** True if `target` takes the parameter, as far as its kind and its own refusals tell. */
export function takes(target: Target, parameter: string): boolean {
  return (
    !routing.has(parameter) && !cannotTake[target.kind].has(parameter) && !target.refusedParameters?.includes(parameter)
  );
}

/** `metadata` steers routers elsewhere; only OpenAI's own flat string map goes along, and only to OpenAI. */
function isServiceMetadata(value: unknown, target: Target): boolean {
  return target.kind === 'openai' && isObject(value) && Object.values(value).every((item) => typeof item === 'string');
}

function renameBound(body: JsonObject, sampling: JsonObject, target: Target, dropped: string[]): void {
  const bound = sampling.max_completion_tokens ?? sampling.max_tokens;
  if (typeof bound !== 'number') return;
  const name = boundName(target);
  if (name === undefined || body[name] !== undefined) return;
  for (const other of ['max_tokens', 'max_completion_tokens']) {
    if (other === name) continue;
    delete body[other];
    const at = dropped.indexOf(other);
    if (at !== -1) dropped.splice(at, 1);
  }
  body[name] = bound;
}

/** The name under which `target` wants the bound, where it does not take both. */
function boundName(target: Target): string | undefined {
  if (target.refusedParameters?.includes('max_tokens'))
    return target.refusedParameters.includes('max_completion_tokens') ? undefined : 'max_completion_tokens';
  if (oldBound.has(target.kind) || target.refusedParameters?.includes('max_completion_tokens')) return 'max_tokens';
  return undefined;
}
