import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutTokens } from './token-lists.ts';

const long = (count: number): string => `[${'17,'.repeat(count - 1)}0]`;
const filled = async (text: string): Promise<{ left: string; out: string; tokens: number }> => {
  const { bytes, lists } = await withoutTokens(Buffer.from(text));
  const left = bytes.toString();
  return { left, out: lists.fill(JSON.stringify(JSON.parse(left))).toString(), tokens: lists.tokens };
};

describe('D-39 long lists of tokens are not parsed', () => {
  it.each([
    ['one list', `{"model":"m","input":${long(40_000)}}`, 40_000],
    ['lists in a list', `{"input":[${Array(900).fill(long(90)).join()}],"model":"m"}`, 81_000],
    ['two of them', `{"prompt":${long(40_000)},"input":${long(30_000)}}`, 70_000],
    ['behind text that looks like one', `{"a":"[1,2,3\\\\\\"[1,","input":${long(40_000)},"b":"]"}`, 40_000],
    ['behind another kind of list', `{"a":[1,"x",[2,[true,[${long(40_000)}]]]]}`, 40_000],
    ['behind much text', `{"a":"${'é\\"'.repeat(400_000)}","input":${long(400_000)}}`, 400_000],
  ])('%s: the body stays the same, byte for byte', async (_, text, tokens) => {
    const { left, out, tokens: counted } = await filled(text);
    expect(left.length).toBeLessThan(text.length - 3 * tokens + 20_000);
    expect(counted).toBe(tokens);
    expect(out).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    ['text', `{"input":${JSON.stringify(long(40_000))}}`],
    ['fractions', `{"input":[${'0.5,'.repeat(40_000)}1]}`],
    ['a zero too many', `{"input":[${'07,'.repeat(40_000)}1]}`],
    ['a comma too many', `{"input":[${'7,'.repeat(40_000)}]}`],
    ['no comma', `{"input":[${'7 '.repeat(40_000)}]}`],
    ['no end', `{"input":[${'7,'.repeat(40_000)}7`],
    ['short ones', `{"input":{"a":[1,2],"b":"${'x'.repeat(100_000)}"}}`],
  ])('%s: stays where it is', async (_, text) => {
    const { bytes, lists } = await withoutTokens(Buffer.from(text));
    expect(bytes.toString()).toBe(text);
    expect(lists.tokens).toBe(0);
  });

  it('any JSON around a list comes out as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (before, after) => {
        const text = `{"a":${JSON.stringify(before)},"input":${long(33_000)},"b":${JSON.stringify(after)}}`;
        expect((await filled(text)).out).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 40 },
    );
  });

  it('other events are handled while a long body is searched', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      handle = setImmediate(count);
    };
    let handle = setImmediate(count);
    await withoutTokens(Buffer.from(`{"input":${long(4_000_000)}}`));
    clearImmediate(handle);
    expect(turns).toBeGreaterThan(5);
  });
});
