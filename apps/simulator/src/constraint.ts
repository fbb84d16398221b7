import { isObject, type JsonObject } from '@callsmith/turn';

/** The fields by which engines take a constraint on the answer's text. */
const fields = [
  'structured_outputs',
  'guided_json',
  'guided_regex',
  'guided_grammar',
  'json_schema',
  'regex',
  'ebnf',
  'grammar',
  'format',
] as const;

/** True if the request constrains what may be written: a strict tool, a response format, a grammar. */
export function isConstrained(body: JsonObject): boolean {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : [];
  const strict = tools.some(
    (tool) => tool.strict === true || (isObject(tool.function) && tool.function.strict === true),
  );
  const formatted = isObject(body.response_format) && body.response_format.type !== 'text';
  return strict || formatted || fields.some((name) => body[name] !== undefined && body[name] !== null);
}
