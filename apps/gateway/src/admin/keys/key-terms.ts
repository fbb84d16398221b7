import type { KeyChange, NewKey, SharedKeyChange } from '@callsmith/contracts';
import type { KeyRowChange } from '@callsmith/data/keys';
import { Fault, type FieldFault } from '@callsmith/turn';

/** Limits and rights of a key, as requested. */
export type KeyTerms = Omit<NewKey, 'teamId' | 'holder'>;

/** The columns of limits and rights; fields that are not given stay unchanged. */
export function termsRow({
  allowedModels,
  tokensPerMinute,
  tokenBudget,
  spendBudget,
  expiresAt,
  ...rest
}: Partial<KeyTerms>) {
  return {
    ...rest,
    ...(allowedModels !== undefined && { allModels: allowedModels === null, allowedModels: allowedModels ?? [] }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute: count(tokensPerMinute) }),
    ...(tokenBudget !== undefined && { tokenBudget: count(tokenBudget) }),
    ...(spendBudget !== undefined && { spendBudget: count(spendBudget) }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
  };
}

/** The columns of a change. */
export function changeRow(change: KeyChange | SharedKeyChange): KeyRowChange {
  const named = Object.entries(termsRow(change as Partial<KeyTerms>));
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

/**
 * Checks what no schema can: names of models, and fields that need each other. `known`: all models' names. Throws a
 * `Fault` naming every wrong field.
 */
export function checkTerms(
  terms: Pick<KeyChange, 'allowedModels' | 'expiresAt' | 'tokenBudget' | 'spendBudget' | 'budgetPeriod'>,
  known: ReadonlySet<string>,
  now = new Date(),
): void {
  const fields: FieldFault[] = [];
  terms.allowedModels?.forEach((name, at) => {
    if (!known.has(name))
      fields.push({ path: `allowedModels[${at}]`, message: `must be an existing model; found "${name}"` });
  });
  if (terms.expiresAt && new Date(terms.expiresAt) <= now)
    fields.push({ path: 'expiresAt', message: 'must be in the future' });
  const budgetField = terms.tokenBudget ? 'tokenBudget' : terms.spendBudget ? 'spendBudget' : undefined;
  if (budgetField && !terms.budgetPeriod)
    fields.push({ path: 'budgetPeriod', message: `is required with ${budgetField}` });
  const [first] = fields;
  if (first) throw new Fault('invalid_parameter', `${first.path}: ${first.message}`, { param: first.path, fields });
}

const count = (value: number | null): bigint | null => (value === null ? null : BigInt(value));
