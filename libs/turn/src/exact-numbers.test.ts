import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyNumberSources, holdsExactNumbers, parseExact, writeExact, writeJson } from './exact-numbers.ts';

describe('numbers that a double cannot hold', () => {
  it.each([
    '{"a":12345678901234567890}',
    '{"a":[1,9007199254740993,{"b":1e400}],"c":-1e999}',
    '{"a\\"b":{"":0.12345678901234567890123},"x":1e-400}',
    '[[],{},[12345678901234567890]]',
    '{"a\\\\":"\\\\\\"[","n":12345678901234567890}',
    '{"text":"12345678901234567890, [1e400]","n":12345678901234567890}',
    '{"__proto__":12345678901234567890}',
  ])('%s is written unchanged', (text) => {
    expect(writeJson(parseExact(text))).toBe(text);
  });

  it.each([
    '{"a":1.0,"b":1e5,"c":0.1,"d":100000000000000000000,"e":1.7976931348623157e308}',
    '{"id":"call_12345678901234567890"}',
    '{"a":"x"}',
  ])('%s loses nothing, so nothing is kept', (text) => {
    expect(holdsExactNumbers(parseExact(text))).toBe(false);
  });

  it('the last of two equal keys counts, as in JSON.parse', () => {
    expect(writeJson(parseExact('{"a":12345678901234567890,"a":1}'))).toBe('{"a":1}');
    expect(writeJson(parseExact('{"a":{"n":12345678901234567890},"a":[2]}'))).toBe('{"a":[2]}');
  });

  it('a copied member keeps its text, a changed one has none', () => {
    const from = parseExact('{"a":12345678901234567890,"b":9007199254740993}') as { a: number; b: number };
    const to = { ...from, b: 2 };
    copyNumberSources(from, to);
    expect(writeJson(to)).toBe('{"a":12345678901234567890,"b":2}');
  });

  it('a string never becomes a number', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parseExact(`[12345678901234567890,${text}]`);
        expect(writeExact(value)).toBe(`[12345678901234567890,${JSON.stringify(JSON.parse(text))}]`);
      }),
    );
  });

  it.each([
    ['many', `[${'12345678901234567890,'.repeat(5000)}1]`],
    ['deep', `${'['.repeat(2000)}${'12345678901234567890,'.repeat(5000)}1${']'.repeat(2000)}`],
    ['behind a long string', `["${'x'.repeat(8_000_000)}",12345678901234567890]`],
    ['behind a string of escapes', `["${'\\\\'.repeat(2_000_000)}",12345678901234567890]`],
    ['of many digits', `[${'1'.repeat(1_000_000)}]`],
  ])('%s: takes linear time', (_, text) => {
    const started = performance.now();
    expect(writeJson(parseExact(text))).toBe(text);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('text with too many is not searched to its end', () => {
    const one = '12345678901234567890';
    const written = writeJson(parseExact(`[${Array(200_000).fill(one).join(',')}]`));
    expect(written.split(one).length - 1).toBe(5000);
  });
});
