import { copyNumberSources, isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { checkNesting, invalidValue } from './checks.ts';
import type { BodyLimits } from './inbound-adapter.ts';
import { isRouting } from './outbound/parameters.ts';

/** A request of an API that is passed through as it is. */
export interface RawRequest {
  /** The public model name that the client asked for. */
  readonly model: string;
  /** What goes upstream, but for the model's name. */
  readonly body: JsonObject;
  /** Parameters that were left out; told to the client in a header. */
  readonly dropped: readonly string[];
}

/**
 * Reads a body that is passed through: only its model and its depth are looked at, and what would say where a request
 * goes stays here. Throws `invalid_body` or `missing_parameter`.
 */
export function readRaw(body: JsonValue, limits: BodyLimits): RawRequest {
  if (!isObject(body)) throw invalidValue('body', body, 'a JSON object', 'invalid_body');
  checkNesting(body, limits.maxDepth);
  if (typeof body.model !== 'string' || body.model === '')
    throw invalidValue('model', body.model, "the model's name as a string");
  const kept: JsonObject = {};
  const dropped: string[] = [];
  for (const key of Object.keys(body))
    if (isRouting(key)) dropped.push(key);
    else kept[key] = body[key];
  copyNumberSources(body, kept);
  return { model: body.model, body: kept, dropped };
}

/** The texts, or tokens, of a prompt that is passed through: of a completion, of embeddings, or of what is to be ranked. */
export function rawPrompt({ prompt, input, query, documents }: JsonObject): JsonValue {
  const texts = Array.isArray(documents) ? documents.map((one) => (isObject(one) ? (one.text ?? null) : one)) : [];
  return prompt ?? input ?? [query ?? null, ...texts];
}
