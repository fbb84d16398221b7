import { parseCasesOf } from '../failures/copies.ts';
import type { ShownOutput } from './column-output.ts';

/** A column’s answer as cases for `callsmith parse`, one a choice; undefined while there is none. `request`: its body as JSON. */
export function testCaseOf(
  { result }: ShownOutput,
  { model, request }: { model: string; request: string },
): string | undefined {
  const raw = result?.raw.at(-1);
  if (!result || !raw) return undefined;
  return parseCasesOf({
    turn: { id: 'playground', model, dialect: result.dialect },
    body: { clientRequest: request, raw, delivered: result.delivered },
  });
}
