import { schemaMismatch, type Unusable } from '@callsmith/toolcall';
import type { Finding } from '@callsmith/turn';
import type { ResponseSummary } from '../record/response-summary.ts';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { Constrained } from '../upstream/constrain.ts';
import { endedWithoutCall } from './ignored-choice.ts';

/**
 * Explains in one sentence how a response shows that its engine did not enforce the constraint that was sent;
 * undefined: it does not show that. An incomplete response shows nothing, nor does a call in another form than the
 * constrained one.
 */
export function violationOf(
  { field, schemas, required }: Constrained,
  { answer, notes, reason }: ResponseSummary,
  failed: AttemptFailure | undefined,
): string | undefined {
  if (required && endedWithoutCall(failed?.fault, notes))
    return `Sent with ${field}, the response had no call although one was required.`;
  if (failed !== undefined || reason === undefined || reason === 'length' || reason === 'content_filter')
    return undefined;
  if (notes.some(isOtherForm)) return undefined;
  const broken = notes.find(isBroken);
  if (broken) return `Sent with ${field}, a call broke the constraint: ${broken.class}.`;
  for (const { calls } of answer.whole().choices) {
    for (const call of calls) {
      const schema = schemas.get(call.name);
      const mismatch = schema && schemaMismatch(call.arguments, schema);
      if (mismatch !== undefined)
        return `Sent with ${field}, a call of ${call.name} did not satisfy the schema that was sent: ${mismatch}.`;
    }
  }
  return undefined;
}

/**
 * Like `violationOf`, for a response that is corrected. Only violations of keywords that the simplified schema kept
 * count.
 */
export function ignoredBy(constrained: Constrained | undefined, unusable: Unusable): string | undefined {
  if (constrained === undefined || unusable.kind !== 'calls') return undefined;
  const { field, dialect, schemas } = constrained;
  const source = dialect === undefined ? 'native' : 'text';
  const wrong = unusable.calls.find((call) => {
    if (call.source !== source) return false;
    if (call.class === 'UnknownName') return true;
    if (!schemas.has(call.name)) return false;
    return call.class === 'InvalidJson' || (call.mismatch !== undefined && isKept.has(call.mismatch.keyword));
  });
  return wrong && `Sent with ${field}, a call broke the constraint: ${wrong.class}.`;
}

/** Keywords that simplified schemas keep. */
const isKept: ReadonlySet<string> = new Set(['type', 'required', 'enum', 'const', 'additionalProperties']);

/** True if a call began without the marker at which the engine's constraint starts. */
const isOtherForm = ({ rule, detail, class: found }: Finding): boolean =>
  detail === 'unmarked-call' ||
  found === 'LeakedCall' ||
  ['restore-markers', 'open-wrapper', 'foreign-wrapper', 'ascii-marker'].includes(rule ?? '');

/**
 * True for findings that an enforced grammar makes impossible. A repaired `SchemaMismatch` is one: the value had
 * another type than the schema that was sent.
 */
const isBroken = ({ class: found, rule }: Finding): boolean =>
  found === 'InvalidJson' || found === 'UnknownName' || (found === 'SchemaMismatch' && rule !== undefined);
