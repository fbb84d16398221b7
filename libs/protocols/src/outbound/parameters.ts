import { copyNumberSources, isObject, type JsonObject } from '@callsmith/turn';
import type { Target } from '../outbound-adapter.ts';
import { engines } from './engines.ts';

/** Routing is up to the operator: these are never forwarded, whatever the upstream. */
const routing: ReadonlySet<string> = new Set([
  'api_base',
  'base_url',
  'api_key',
  'headers',
  'extra_headers',
  'extra_body',
  'extra_query',
  'custom_llm_provider',
]);

/** True for parameters that would steer a router: no server gets them unchanged. */
export const isRouting = (parameter: string): boolean => routing.has(parameter) || parameter === 'metadata';

/** The parameters that are sent to `target`, and the names of those that are not, which are reported to the client. */
export function forwardable(sampling: JsonObject, target: Target): { body: JsonObject; dropped: string[] } {
  const body: JsonObject = {};
  const dropped: string[] = [];
  for (const key of Object.keys(sampling)) {
    const value = sampling[key];
    if (value === undefined) continue;
    if (accepts(target, key)) body[key] = value;
    else if (value !== null) dropped.push(key);
  }
  copyNumberSources(sampling, body);
  if (body.metadata !== undefined && !isServiceMetadata(body.metadata, target)) {
    delete body.metadata;
    dropped.push('metadata');
  }
  renameBound(body, sampling, target, dropped);
  return { body, dropped };
}

/** True if `target` accepts the parameter, by its kind and its earlier refusals. */
export function accepts(target: Target, parameter: string): boolean {
  return (
    !routing.has(parameter) &&
    !engines[target.kind].refuses.has(parameter) &&
    !target.refusedParameters?.includes(parameter)
  );
}

/** `metadata` steers routers elsewhere; only OpenAI's own flat string map is sent, and only to OpenAI. */
function isServiceMetadata(value: unknown, target: Target): boolean {
  return (
    engines[target.kind].metadata && isObject(value) && Object.values(value).every((item) => typeof item === 'string')
  );
}

function renameBound(body: JsonObject, sampling: JsonObject, target: Target, dropped: string[]): void {
  const bound = sampling.max_completion_tokens ?? sampling.max_tokens;
  if (typeof bound !== 'number') return;
  const name = boundName(target);
  if (name === undefined || body[name] !== undefined) return;
  for (const other of ['max_tokens', 'max_completion_tokens']) {
    if (other === name) continue;
    delete body[other];
    const at = dropped.indexOf(other);
    if (at !== -1) dropped.splice(at, 1);
  }
  body[name] = bound;
}

/** The name of the token limit for `target`, if it does not accept both. */
function boundName(target: Target): string | undefined {
  if (target.refusedParameters?.includes('max_tokens'))
    return target.refusedParameters.includes('max_completion_tokens') ? undefined : 'max_completion_tokens';
  if (engines[target.kind].maxTokensOnly || target.refusedParameters?.includes('max_completion_tokens'))
    return 'max_tokens';
  return undefined;
}
