import { redact } from '@callsmith/data/redaction';
import type { JsonObject } from '@callsmith/turn';
import type { Attributes } from '@opentelemetry/api';
import type { RequestRecord } from '../record/request-record.ts';
import { knownAttributes, type PartialAttributes, tokenCounts } from './span-attributes.ts';
import { contentOf, type SpanMessage } from './span-content.ts';

/** A span's kind in OpenInference. */
export const openInferenceKind = (kind: 'LLM' | 'CHAIN' | 'TOOL'): Attributes => ({ 'openinference.span.kind': kind });

/** Parameters that are numbers or enum values of the API, never text of a client. */
const parameterNames = [
  'temperature',
  'top_p',
  'top_k',
  'max_tokens',
  'max_completion_tokens',
  'seed',
  'frequency_penalty',
  'presence_penalty',
] as const;

/**
 * A request's span by OpenInference (https://github.com/Arize-ai/openinference, its semantic conventions), beside
 * OpenTelemetry's attributes. `content`: message content is included, secrets masked.
 */
export function openInferenceAttributes(record: RequestRecord, content: boolean): Attributes {
  const { request, attempts } = record;
  const tokens = tokenCounts(record);
  const sampling = request.turn?.sampling ?? request.parameters;
  const parameters = parameterNames.filter((name) => typeof sampling?.[name] === 'number');
  return knownAttributes({
    ...openInferenceKind('LLM'),
    'llm.model_name': request.model?.name,
    'llm.provider': attempts.route?.upstream.kind,
    'llm.invocation_parameters': JSON.stringify(Object.fromEntries(parameters.map((name) => [name, sampling?.[name]]))),
    'llm.token_count.prompt': tokens?.input,
    'llm.token_count.completion': tokens?.output,
    'llm.token_count.total': tokens && tokens.input + tokens.output,
    'llm.token_count.prompt_details.cache_read': tokens?.cacheRead,
    'llm.token_count.prompt_details.cache_write': tokens?.cacheWrite,
    'llm.token_count.completion_details.reasoning': tokens?.reasoning,
    ...(content && contentAttributesOf(record)),
  });
}

function contentAttributesOf(record: RequestRecord): PartialAttributes {
  const all = contentOf(record);
  if (all === undefined) return {};
  const input = [...all.system, ...all.input];
  return {
    'input.value': lastText(input),
    'output.value': lastText(all.output),
    ...messages('llm.input_messages', input),
    ...messages('llm.output_messages', all.output),
    ...Object.fromEntries(
      all.tools.map((tool, at) => [`llm.tools.${at}.tool.json_schema`, redact(JSON.stringify(tool))]),
    ),
  };
}

function messages(prefix: string, list: readonly SpanMessage[]): PartialAttributes {
  const attributes: Record<string, string | undefined> = {};
  list.forEach(({ role, parts }, at) => {
    const message = `${prefix}.${at}.message`;
    attributes[`${message}.role`] = role;
    attributes[`${message}.content`] = textIn(parts);
    const result = parts.find(({ type }) => type === 'tool_call_response');
    if (result) {
      attributes[`${message}.tool_call_id`] = String(result.id);
      attributes[`${message}.content`] = redact(String(result.response));
    }
    const calls = parts.filter(({ type }) => type === 'tool_call');
    calls.forEach(({ id, name, arguments: json }, number) => {
      const call = `${message}.tool_calls.${number}.tool_call`;
      attributes[`${call}.id`] = String(id);
      attributes[`${call}.function.name`] = redact(String(name));
      attributes[`${call}.function.arguments`] = redact(String(json));
    });
  });
  return attributes;
}

function textIn(parts: readonly JsonObject[]): string | undefined {
  const texts = parts.filter(({ type }) => type === 'text').map(({ content }) => String(content));
  return texts.length === 0 ? undefined : redact(texts.join('\n'));
}

const lastText = (list: readonly SpanMessage[]): string | undefined =>
  list.map(({ parts }) => textIn(parts)).findLast((text) => text !== undefined);
