import type { JsonObject, JsonValue } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';
import type { ListedModel, ListQuery } from '../../inbound-adapter.ts';

/** One model in this API's form. */
export const model = ({ name, contextLength }: ListedModel): JsonObject => ({
  type: 'model',
  id: name,
  display_name: name,
  // The API's value for a model with an unknown release date.
  created_at: '1970-01-01T00:00:00Z',
  ...(contextLength !== undefined && { max_input_tokens: contextLength }),
});

const defaultLimit = 20;
const highestLimit = 1000;

/** A page of models: `limit` of them after `after_id` or before `before_id`. Throws `invalid_parameter`. */
export function modelList(models: readonly ListedModel[], query: ListQuery): JsonObject {
  const limit = limitOf(query.limit);
  const { after_id: after, before_id: before } = query;
  const ids = models.map(({ name }) => name);
  let from = 0;
  let to = Math.min(limit, models.length);
  if (after !== undefined) {
    from = placeOf(after, 'after_id', ids) + 1;
    to = Math.min(from + limit, models.length);
  } else if (before !== undefined) {
    to = placeOf(before, 'before_id', ids);
    from = Math.max(0, to - limit);
  }
  const data = models.slice(from, to).map(model);
  return {
    data: data as JsonValue[],
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: before !== undefined && after === undefined ? from > 0 : to < models.length,
  };
}

function limitOf(value: string | undefined): number {
  if (value === undefined) return defaultLimit;
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > highestLimit)
    throw invalidValue('limit', value, `an integer from 1 to ${highestLimit}`);
  return limit;
}

function placeOf(id: string, param: string, ids: readonly string[]): number {
  const place = ids.indexOf(id);
  if (place === -1) throw invalidValue(param, id, 'the id of a listed model');
  return place;
}
