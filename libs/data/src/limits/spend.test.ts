import { expect, test } from 'vitest';
import { spendOf } from './spend.ts';

const price = { input: 3, cachedInput: 0.3, output: 15 };

test('a price per million tokens is millionths per token; cached tokens have their own price', () => {
  expect(spendOf(price, { inputTokens: 1_000_000, outputTokens: 0 })).toBe(3_000_000);
  expect(spendOf(price, { inputTokens: 1000, cachedTokens: 400, outputTokens: 10 })).toBe(1800 + 120 + 150);
});

test('without a price of their own cached tokens cost the same', () => {
  expect(spendOf({ input: 2, output: 0 }, { inputTokens: 10, cachedTokens: 4, outputTokens: 5 })).toBe(20);
});

test('spend is a whole number, never below zero, whatever a server reports', () => {
  expect(spendOf({ input: 0.15, output: 0.6 }, { inputTokens: 7, outputTokens: 3 })).toBe(3);
  expect(spendOf(price, { inputTokens: 10, cachedTokens: 99, outputTokens: 0 })).toBe(3);
  expect(spendOf({ input: 1e6, output: 1e6 }, { inputTokens: 1e9, outputTokens: 1e9 })).toBe(2e15);
});

test('without a price the spend is unknown', () => {
  expect(spendOf(undefined, { inputTokens: 1, outputTokens: 1 })).toBeUndefined();
});
