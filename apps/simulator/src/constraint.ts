import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { Answer } from './behavior/answer.ts';

/** The fields in which engines accept a constraint on the response's text. */
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

/** The response of an engine that enforces its constraint: the only allowed word, and values that a tool prescribes. */
export function withinConstraint(answer: Answer, body: JsonObject): Answer {
  const word = onlyWord(body);
  if (word !== undefined) return { reasoning: answer.reasoning, text: word, calls: [] };
  return {
    ...answer,
    calls: answer.calls.map((call) => ({ ...call, arguments: { ...call.arguments, ...prescribed(body, call.name) } })),
  };
}

/** The response as JSON if the constraint allows only one. */
function onlyWord(body: JsonObject): string | undefined {
  const outputs = objectIn(body.structured_outputs);
  const tag = typeof outputs.structural_tag === 'string' ? parseJson(outputs.structural_tag) : undefined;
  const format = objectIn(body.response_format);
  const schemas = [
    outputs.json,
    objectIn(objectIn(tag).format).json_schema,
    objectIn(format.format).json_schema,
    objectIn(format.json_schema).schema,
    body.format,
  ];
  const word = schemas.map((schema) => objectIn(schema).const).find((value) => value !== undefined);
  if (word !== undefined) return JSON.stringify(word);
  const literal =
    typeof body.grammar === 'string' ? /^root ::= ("(?:[^"\\]|\\.)*")$/.exec(body.grammar)?.[1] : undefined;
  const written = literal === undefined ? undefined : parseJson(literal);
  return typeof written === 'string' ? written : undefined;
}

/** Arguments for which a strict tool's schema allows one value. */
function prescribed({ tools }: JsonObject, name: string): JsonObject {
  const declared = (Array.isArray(tools) ? tools : []).map((tool) => objectIn(objectIn(tool).function));
  const tool = declared.find((one) => one.name === name && one.strict === true);
  const properties = objectIn(objectIn(tool?.parameters).properties);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, schema]) => {
      const value = objectIn(schema).const;
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

const objectIn = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
