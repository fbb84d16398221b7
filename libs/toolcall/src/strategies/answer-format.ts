import { type Finding, isObject, type JsonObject, parseJson, type Turn, writeExact } from '@callsmith/turn';
import { validateArguments } from '../finalize/validate-arguments.ts';

/**
 * The line in the prompt about the answer format that the client requests, for a model with its tools in the prompt:
 * an enforced format would prevent calls. Undefined: none is requested.
 */
export function answerFormatLine({ sampling, exactNumbers }: Turn): string | undefined {
  const { response_format: format } = sampling;
  if (!isObject(format)) return undefined;
  const lead = 'When you answer without calling a tool, answer with nothing but';
  if (format.type === 'json_object') return `${lead} one JSON object.`;
  const schema = schemaIn(format);
  if (schema === undefined) return undefined;
  return `${lead} JSON that satisfies this JSON schema:\n${exactNumbers ? writeExact(schema) : JSON.stringify(schema)}`;
}

/**
 * Compares an answer without calls with the requested schema, which its prompt contained. Undefined: it satisfies it,
 * or none was requested.
 */
export function answerMismatch({ sampling }: Turn, text: string): Finding | undefined {
  const { response_format: format } = sampling;
  const schema = isObject(format) ? schemaIn(format) : undefined;
  if (schema === undefined) return undefined;
  if (parseJson(text) === undefined)
    return {
      stage: 'finalize',
      class: 'InvalidJson',
      detail: 'the answer is not JSON, which response_format asks for',
    };
  const verdict = validateArguments(text, schema);
  if (typeof verdict === 'string') return undefined;
  const path = verdict.path.replace(/^arguments/, 'answer');
  const detail = `response_format: ${path} does not satisfy the schema (${verdict.keyword})`;
  return { stage: 'finalize', class: 'SchemaMismatch', detail };
}

/** The schema of chat completions' `response_format`. */
function schemaIn({ type, json_schema: jsonSchema }: JsonObject): JsonObject | undefined {
  return type === 'json_schema' && isObject(jsonSchema) && isObject(jsonSchema.schema) ? jsonSchema.schema : undefined;
}
