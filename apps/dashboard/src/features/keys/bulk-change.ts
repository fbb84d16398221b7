import type { Key } from '@callsmith/contracts';
import { type LimitValues, limitsBody, limitsOf } from './limits.ts';
import type { LimitPart } from './limits-fields.tsx';

/** What several keys can get alike. */
export type BulkField = LimitPart | 'team';

/** Their values as a form holds them. */
export type BulkValues = LimitValues & { readonly teamId: string };

type Body = ReturnType<typeof limitsBody> & Pick<BulkValues, 'teamId'>;

/** The members of the body that each part is made of. */
const members: Readonly<Record<BulkField, readonly (keyof Body)[]>> = {
  models: ['allowedModels'],
  requestsPerMinute: ['requestsPerMinute'],
  tokensPerMinute: ['tokensPerMinute'],
  concurrentStreams: ['concurrentStreams'],
  expires: ['expiresAt'],
  budget: ['tokenBudget', 'spendBudget', 'budgetPeriod'],
  team: ['teamId'],
};

/** Of a form's values only the chosen parts, as the API takes them. */
export function bulkBody(values: BulkValues, parts: readonly BulkField[]): Partial<Body> {
  const body: Body = { ...limitsBody(values), teamId: values.teamId };
  const named = new Set(parts.flatMap((part) => members[part]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => named.has(name as keyof Body)));
}

/** How many of the keys have another value than the form's in one part. */
export function countChanged(keys: readonly Key[], values: BulkValues, part: BulkField): number {
  const wanted = JSON.stringify(bulkBody(values, [part]));
  const valuesOf = (key: Key): BulkValues => ({ ...limitsOf(key), teamId: key.teamId });
  return keys.filter((key) => JSON.stringify(bulkBody(valuesOf(key), [part])) !== wanted).length;
}
