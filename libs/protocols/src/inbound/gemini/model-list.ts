import type { JsonObject } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';
import type { ListedModel, ListQuery } from '../../inbound-adapter.ts';

/** One model in this API's form. */
export const model = ({ name, contextLength }: ListedModel): JsonObject => ({
  name: `models/${name}`,
  baseModelId: name,
  version: '1',
  displayName: name,
  description: '',
  ...(contextLength !== undefined && { inputTokenLimit: contextLength, outputTokenLimit: contextLength }),
  supportedGenerationMethods: ['generateContent', 'countTokens'],
});

const defaultSize = 50;
const highestSize = 1000;

/** A page of models. The next page's token is the name of its first model. Throws `invalid_parameter`. */
export function modelList(models: readonly ListedModel[], query: ListQuery): JsonObject {
  const size = sizeOf(query.pageSize ?? query.page_size);
  const token = query.pageToken ?? query.page_token;
  const from = token === undefined || token === '' ? 0 : models.findIndex(({ name }) => name === token);
  if (from === -1) throw invalidValue('pageToken', token, 'the nextPageToken of an earlier page');
  const next = models[from + size];
  return {
    models: models.slice(from, from + size).map(model),
    ...(next && { nextPageToken: next.name }),
  };
}

function sizeOf(value: string | undefined): number {
  if (value === undefined || value === '') return defaultSize;
  const size = Number(value);
  if (!Number.isInteger(size) || size < 0) throw invalidValue('pageSize', value, `an integer from 1 to ${highestSize}`);
  return size === 0 ? defaultSize : Math.min(size, highestSize);
}
