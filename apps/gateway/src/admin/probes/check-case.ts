import type { SavedExpectation } from '@callsmith/contracts';
import { inboundAdapters } from '@callsmith/protocols';
import { Fault, type JsonObject, type Turn } from '@callsmith/turn';
import { bodyLimits } from '../../proxy/request/read-turn.ts';
import { fieldFault } from '../field-fault.ts';

/** Longest request of a saved case, in UTF-16 units of JSON: every look at a probe reads it. */
const LONGEST = 64 * 1024;

/**
 * Checks a case before it is saved: a probe would refuse its request in every arm. Returns the request as probes send
 * it, without `model` and `stream`. Throws a `Fault` that names the field.
 */
export function checkCase({
  request,
  expects,
}: {
  readonly request: JsonObject;
  readonly expects: SavedExpectation;
}): JsonObject {
  const { model: _, stream: __, stream_options: ___, ...sent } = request;
  const { tools } = parsed(sent);
  const { length } = JSON.stringify(sent);
  if (length > LONGEST)
    throw fieldFault({ path: 'request', message: `has ${length} characters as JSON; the limit is ${LONGEST}` });
  if (tools.size === 0) throw fieldFault({ path: 'request.tools', message: 'must have at least one tool' });
  const missing = namesIn(expects).find(({ name }) => tools.get(name) === undefined);
  if (missing) {
    const message = `"${missing.name}" is none of the tools of the request`;
    throw fieldFault({ path: missing.path, message });
  }
  return sent;
}

/** Reads a request as that of a client is read; the paths in its error begin with `request`. */
function parsed(request: JsonObject): Turn {
  try {
    return inboundAdapters['chat-completions'].parseRequest({ ...request, model: 'probed' }, bodyLimits);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const path = error.param === null ? 'request' : `request.${error.param}`;
    throw fieldFault({ path, message: error.message }, { code: error.code, summary: error.message });
  }
}

/** The names of expected tools, with their paths. */
function namesIn(expects: SavedExpectation): { readonly path: string; readonly name: string }[] {
  if (expects.kind === 'calls')
    return expects.calls.map(({ name }, at) => ({ path: `expects.calls[${at}].name`, name }));
  if (expects.kind === 'tools') return expects.names.map((name, at) => ({ path: `expects.names[${at}]`, name }));
  return [];
}
