import { isObject, type JsonValue, type Tool } from '@callsmith/turn';

/** Words in the names of parameters that take arbitrary text. */
const inNames = new Set(
  'body cmd code command commands content contents diff edit edits html input markdown markup new old patch replace replacement script snippet source text xml'.split(
    ' ',
  ),
);
/** Such words in descriptions; the others also occur in those of simple values. */
const inDescriptions = /\b(?:code|commands?|contents?|diff|html|markdown|markup|patch|scripts?|snippets?|xml)\b/i;

/**
 * True if a tool takes text that may contain anything, such as a file's content, code, a patch or a command: one of its
 * parameters may be a string, has no list of allowed values, and is named or described like this. Such a text may
 * contain the very tag that ends a raw value, and a grammar would end it there.
 */
export function carriesText({ parameters }: Pick<Tool, 'parameters'>): boolean {
  const properties = parameters?.properties;
  if (!isObject(properties)) return false;
  return Object.entries(properties).some(([name, schema]) => mayBeText(schema) && looksLikeText(name, schema));
}

/** True if grammars of raw values can contain every parameter's name. */
export const hasPlainNames = ({ parameters }: Pick<Tool, 'parameters'>): boolean => {
  const properties = parameters?.properties;
  return !isObject(properties) || Object.keys(properties).every((name) => /^[A-Za-z_][\w.-]*$/.test(name));
};

function mayBeText(schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return true;
  if (schema.enum !== undefined || schema.const !== undefined) return false;
  const { type } = schema;
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function looksLikeText(name: string, schema: JsonValue | undefined): boolean {
  const parts = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  if (parts.some((part) => inNames.has(part))) return true;
  const description = isObject(schema) ? schema.description : undefined;
  return typeof description === 'string' && inDescriptions.test(description);
}
