import { isObject, type JsonObject, type JsonValue, parseJson, type Turn } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';

/**
 * The schema of an answer that is one of several words (`text/x.enum`). Model servers write JSON, most of them objects
 * only: the word stands in one, and is taken out of it again. Throws where no words are given.
 */
export function schemaOfValue(schema: JsonValue | undefined): JsonObject {
  const words = isObject(schema) ? schema.enum : undefined;
  if (!Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === 'string'))
    throw invalidValue(
      'generationConfig.responseSchema',
      schema,
      'a schema with the words to choose from, such as {"type":"STRING","enum":["yes","no"]}',
    );
  return {
    type: 'object',
    properties: { value: { type: 'string', enum: words } },
    required: ['value'],
    additionalProperties: false,
  };
}

/** True if the answer to a turn is one of several words. */
export const isOneValue = ({ echo }: Turn): boolean => echo?.oneValue === true;

/** The word that a model chose, of the object that it was asked for, of a JSON string, or as it stands. */
export function valueIn(text: string): string {
  const json = parseJson(text);
  const value = isObject(json) ? json.value : json;
  return typeof value === 'string' ? value : text.trim();
}
