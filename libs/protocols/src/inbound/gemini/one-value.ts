import { isObject, type JsonObject, type JsonValue, type Turn } from '@callsmith/turn';
import { invalidValue } from '../../checks.ts';
import { parseOutput } from '../../parse-output.ts';

/**
 * The schema of a response that is one of several values (`text/x.enum`). Model servers write JSON, most of them only
 * objects: the value is requested inside an object, and extracted again. Throws without values.
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

/** True if a turn's response is one of several values. */
export const isOneValue = ({ echo }: Turn): boolean => echo?.oneValue === true;

/** The value that a model chose, from the requested object, from a JSON string, or from plain text. */
export function valueIn(text: string): string {
  const json = parseOutput(text);
  const value = isObject(json) ? json.value : json;
  return typeof value === 'string' ? value : text.trim();
}
