import { isObject, type JsonObject, type JsonValue, type Tool, ToolTable } from '@callsmith/turn';

/** Maximum characters of a tool's description, and of one in its schema. */
const longestOfTool = 200;
const longestOfParameter = 80;
/** Schemas below this depth stay as they are. */
const maxDepth = 64;

/** Keywords that contain schemas by name, a list of schemas, and one schema. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const listed = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single = new Set(['items', 'additionalProperties', 'not']);
/** Keywords that a call does not need. */
const omitted = new Set(['title', 'examples', '$comment', '$schema']);

/**
 * The same tools with descriptions of a sentence or two, for a model whose context is too small (E-4).
 * Names, types, allowed values and the order of parameters stay.
 */
export const shortTools = ({ list }: ToolTable): ToolTable =>
  new ToolTable(
    list.map(
      (tool): Tool => ({
        ...tool,
        ...(tool.description !== undefined && { description: shortened(tool.description, longestOfTool) }),
        ...(tool.parameters !== undefined && { parameters: shortSchema(tool.parameters, 0) }),
      }),
    ),
  );

function shortSchema(schema: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) return schema;
  const inner = (value: JsonValue): JsonValue => (isObject(value) ? shortSchema(value, depth + 1) : value);
  return mapped(schema, (value, key) => {
    if (omitted.has(key)) return undefined;
    if (key === 'description' && typeof value === 'string') return shortened(value, longestOfParameter);
    if (named.has(key) && isObject(value)) return mapped(value, inner);
    if (listed.has(key) && Array.isArray(value)) return value.map(inner);
    return single.has(key) ? inner(value) : value;
  });
}

/** The object with changed values, its keys in the same order; undefined values are left out. */
const mapped = (object: JsonObject, change: (value: JsonValue, key: string) => JsonValue | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => {
      const changed = value === undefined ? undefined : change(value, key);
      return changed === undefined ? [] : [[key, changed]];
    }),
  );

/** The first sentence of a description, or its beginning if that is long. */
export function firstSentence(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  const end = line.search(/[.!?](?=\s)|[。！？]/);
  return shortened(end < 0 ? line.trimEnd() : line.slice(0, end + 1), longestOfTool);
}

/** The text up to its last sentence that ends within `length`, or cut after a word. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const begun = text.slice(0, length);
  const sentence = Math.max(begun.lastIndexOf('. '), begun.lastIndexOf('.\n'), begun.lastIndexOf('\n\n'));
  if (sentence >= length / 4) return begun.slice(0, sentence + 1).trimEnd();
  const word = begun.lastIndexOf(' ');
  return `${begun.slice(0, word > 0 ? word : length)}…`;
}
