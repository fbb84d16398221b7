import type { FailureGroup, TurnFilter } from '@callsmith/data/turns';
import { z } from 'zod';
import { fieldFault } from '../field-fault.ts';

const word = z.string().nullable();
const group = z.tuple([z.string(), word, word, word, word, word, word]);

/** The identifier of a group of failures, also used in addresses. */
export const groupText = ({
  model,
  modelId,
  strategyUsed,
  class: name,
  tool,
  shape,
  errorCode,
}: FailureGroup): string => encoded([model, modelId, strategyUsed, name, tool, shape, errorCode]);

/** The group of such an identifier. Throws a `Fault` for an invalid one. */
export function groupOf(text: string): FailureGroup {
  const { data } = group.safeParse(decoded(text));
  if (!data) throw fieldFault({ path: 'group', message: 'must be the group of a row of /api/failures/clusters' });
  const [model, modelId, strategyUsed, name, tool, shape, errorCode] = data;
  return { model, modelId, strategyUsed, class: name, tool, shape, errorCode };
}

const place = z.tuple([z.iso.datetime(), z.iso.datetime(), z.number().int().min(0)]);

/**
 * The start of the next page of groups; it contains the time range, so that groups are counted as on the previous page.
 */
export const groupsCursor = ({ from, to }: TurnFilter, offset: number): string =>
  encoded([from.toISOString(), to.toISOString(), offset]);

/** The start of a page of groups. Throws a `Fault` for an invalid cursor. */
export function groupsAfter(cursor: string): { from: string; to: string; offset: number } {
  const { data } = place.safeParse(decoded(cursor));
  if (!data) throw fieldFault({ path: 'cursor', message: 'must be `next` of the page before' });
  const [from, to, offset] = data;
  return { from, to, offset };
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
