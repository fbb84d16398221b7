import type { ModelEntry } from '@callsmith/data/snapshot';
import type { JsonObject } from '@callsmith/turn';

/** Models in OpenAI's list form, each with its capabilities here. */
export const modelList = (models: readonly ModelEntry[]): JsonObject => ({
  object: 'list',
  data: models.map(listed),
});

/** One model with its capability metadata (H-6). Tools are always supported: that is Callsmith's purpose. */
export function listed(model: ModelEntry): JsonObject {
  const [route] = model.routes;
  const native = model.strategy.value === 'native' || (model.strategy.value === 'auto' && route?.nativeTools !== false);
  return {
    id: model.name,
    object: 'model',
    created: 0,
    owned_by: route?.upstream.name ?? 'callsmith',
    ...(model.contextLength && { context_length: model.contextLength.value, max_model_len: model.contextLength.value }),
    capabilities: {
      supports_function_calling: true,
      supports_parallel_function_calling: true,
      supports_tool_choice: true,
      supports_streaming: true,
      tool_calling: native ? 'native' : 'prompt',
    },
    callsmith: {
      strategy: model.strategy.value,
      dialect: model.dialect.value,
      available: model.routes.length > 0,
    },
  };
}
