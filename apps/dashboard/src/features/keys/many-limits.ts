import type { Key } from '@callsmith/contracts';
import { type LimitValues, limitsBody, limitsOf } from './limits.ts';
import type { LimitPart } from './limits-fields.tsx';

type Body = ReturnType<typeof limitsBody>;

/** The members of the body that each part of the limits is made of. */
const members: Readonly<Record<LimitPart, readonly (keyof Body)[]>> = {
  models: ['allowedModels'],
  requestsPerMinute: ['requestsPerMinute'],
  tokensPerMinute: ['tokensPerMinute'],
  concurrentStreams: ['concurrentStreams'],
  expires: ['expiresAt'],
  budget: ['tokenBudget', 'spendBudget', 'budgetPeriod'],
};

/** Of a form's limits only the chosen parts, as the API takes them. */
export function partsBody(values: LimitValues, parts: readonly LimitPart[]): Partial<Body> {
  const body = limitsBody(values);
  const named = new Set(parts.flatMap((part) => members[part]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => named.has(name as keyof Body)));
}

/** How many of the keys have another value than the form's in one part of their limits. */
export function changedBy(keys: readonly Key[], values: LimitValues, part: LimitPart): number {
  const wanted = JSON.stringify(partsBody(values, [part]));
  return keys.filter((key) => JSON.stringify(partsBody(limitsOf(key), [part])) !== wanted).length;
}
