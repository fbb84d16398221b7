import type { Price } from '@callsmith/contracts';

/** The tokens to price; cached ones are part of the input. */
export interface PaidTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number | undefined;
}

/**
 * The cost of tokens, in millionths of the currency, rounded to a whole number: a price per million tokens equals as
 * many millionths per token. Undefined: without a price.
 */
export function spendOf(price: Price | undefined, used: PaidTokens): number | undefined {
  if (price === undefined) return undefined;
  const cached = Math.min(used.cachedTokens ?? 0, used.inputTokens);
  const spend =
    (used.inputTokens - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    used.outputTokens * price.output;
  return Math.min(Math.round(spend), Number.MAX_SAFE_INTEGER);
}
