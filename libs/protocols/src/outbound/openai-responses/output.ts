import {
  type CallFragment,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  type UpstreamEvent,
} from '@callsmith/turn';

/** The first event of a response. */
export const responseStart = (response: JsonObject): UpstreamEvent => ({
  type: 'turn-start',
  choice: 0,
  id: typeof response.id === 'string' ? response.id : '',
  model: typeof response.model === 'string' ? response.model : '',
  createdAt: typeof response.created_at === 'number' ? Math.floor(response.created_at) : 0,
});

/** Why the model stopped. */
export function reasonOf(response: JsonObject): FinishReason {
  if (response.status !== 'incomplete') return 'stop';
  return isObject(response.incomplete_details) && response.incomplete_details.reason === 'content_filter'
    ? 'content_filter'
    : 'length';
}

/** An item of type `function_call`; `index` counts calls, not items. */
export const callFragment = (item: JsonObject, index: number): CallFragment => ({
  type: 'call-fragment',
  choice: 0,
  index,
  ...(typeof item.call_id === 'string' && { id: item.call_id }),
  ...(typeof item.name === 'string' && { name: item.name }),
  ...(item.arguments !== undefined && { arguments: item.arguments }),
});

/** The text or reasoning of a whole item that is no call. */
export function itemEvents(item: JsonObject): UpstreamEvent[] {
  const text = [
    ...textsIn(item.content),
    ...(item.type === 'reasoning' && textsIn(item.content).length === 0 ? textsIn(item.summary) : []),
  ].join('');
  if (text === '') return [];
  return [{ type: item.type === 'reasoning' ? 'reasoning-delta' : 'text-delta', choice: 0, text }];
}

function textsIn(parts: JsonValue | undefined): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => {
    if (!isObject(part)) return [];
    if (typeof part.text === 'string') return [part.text];
    return typeof part.refusal === 'string' ? [part.refusal] : [];
  });
}
