import { describe, expect, it } from 'vitest';
import { argumentsObject } from './arguments-object.ts';
import { customInput } from './inbound/custom-input.ts';
import { valueIn } from './inbound/gemini/one-value.ts';

const names = (count: number): string =>
  `{"input":"a","value":"b",${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;
const elements = (count: number): string => `{"input":"a","value":"b","list":[${'[],'.repeat(count)}1]}`;

describe('D-39 what a model wrote is parsed unless it has too many members', () => {
  it.each([
    ['names', names],
    ['elements', elements],
  ])('%s', (_, of) => {
    expect(argumentsObject(of(20_000))).toMatchObject({ input: 'a' });
    expect(customInput(of(20_000))).toBe('a');
    expect(valueIn(of(20_000))).toBe('b');
    const large = of(400_000);
    expect(argumentsObject(large)).toBeUndefined();
    expect(customInput(large)).toBe(large);
    expect(valueIn(large)).toBe(large);
  });
});
