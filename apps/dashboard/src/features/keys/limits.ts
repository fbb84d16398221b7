import type { BudgetPeriod, Key } from '@callsmith/contracts';

/** A key's limits as they is in a form; empty means none. */
export interface LimitValues {
  allowedModels: string[];
  /** A local day, `YYYY-MM-DD`; null: never. */
  expiresOn: string | null;
  requestsPerMinute: number | string;
  tokensPerMinute: number | string;
  concurrentStreams: number | string;
  tokenBudget: number | string;
  /** In the currency. */
  spendBudget: number | string;
  budgetPeriod: BudgetPeriod;
}

export const noLimits: LimitValues = {
  allowedModels: [],
  expiresOn: null,
  requestsPerMinute: '',
  tokensPerMinute: '',
  concurrentStreams: '',
  tokenBudget: '',
  spendBudget: '',
  budgetPeriod: 'month',
};

/** The limits of a key as they is in a form. */
export const limitsOf = (key: Key): LimitValues => ({
  allowedModels: key.allowedModels ?? [],
  expiresOn: key.expiresAt ? localDay(new Date(key.expiresAt)) : null,
  requestsPerMinute: key.requestsPerMinute ?? '',
  tokensPerMinute: key.tokensPerMinute ?? '',
  concurrentStreams: key.concurrentStreams ?? '',
  tokenBudget: key.tokenBudget ?? '',
  spendBudget: key.spendBudget === null ? '' : key.spendBudget / MICROS,
  budgetPeriod: key.budgetPeriod ?? 'month',
});

/** Members of the body whose field has another name. */
export const fieldNames = { expiresAt: 'expiresOn' } as const;

/** The form's limits as the API takes them. A key expires at the end of its last day, local time. */
export const limitsBody = (values: LimitValues) => ({
  allowedModels: values.allowedModels.length > 0 ? values.allowedModels : null,
  expiresAt: values.expiresOn === null ? null : new Date(`${values.expiresOn}T23:59:59`).toISOString(),
  requestsPerMinute: orNull(values.requestsPerMinute),
  tokensPerMinute: orNull(values.tokensPerMinute),
  concurrentStreams: orNull(values.concurrentStreams),
  ...budgetBody(values),
  budgetPeriod: values.tokenBudget === '' && values.spendBudget === '' ? null : values.budgetPeriod,
});

/** The amounts of a budget as the API takes them. */
export const budgetBody = ({ tokenBudget, spendBudget }: Pick<LimitValues, 'tokenBudget' | 'spendBudget'>) => ({
  tokenBudget: orNull(tokenBudget),
  spendBudget: spendBudget === '' ? null : Math.round(Number(spendBudget) * MICROS),
});

/** Money travels in millionths of the currency. */
const MICROS = 1_000_000;

const orNull = (value: number | string): number | null => (value === '' ? null : Number(value));

const localDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
