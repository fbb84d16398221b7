import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maxServerNameLength, publicToolName, serverNamePattern } from './tool-names.ts';

const server = fc
  .stringMatching(/^[a-z0-9]+([-_][a-z0-9]+)*$/)
  .filter((name) => name.length <= maxServerNameLength && serverNamePattern.test(name));
const tool = fc.string({ minLength: 1, maxLength: 128 });

it('L-4 a name is a valid function name, the same every time, and no two tools share one', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(server, tool), { selector: ([a, b]) => `${a} ${b}`, maxLength: 20 }),
      (tools) => {
        const names = tools.map(([a, b]) => publicToolName(a, b));
        for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
        expect(tools.map(([a, b]) => publicToolName(a, b))).toEqual(names);
        expect(new Set(names).size).toBe(names.length);
      },
    ),
    { numRuns: 500 },
  );
});

it.each([
  ['files', 'read', 'files__read'],
  ['files', '_read', 'files___read'],
  ['my-files', 'read.text', /^my-files__read_text_[0-9a-f]{8}$/],
  ['files', 'x'.repeat(100), /^files__x{48}_[0-9a-f]{8}$/],
  ['files', '__proto__', 'files____proto__'],
])('%s and %s', (one, other, name) => {
  expect(publicToolName(one, other)).toEqual(typeof name === 'string' ? name : expect.stringMatching(name));
});

it.each(['Files', 'a__b', '_a', 'a-', 'a b', ''])('%j is no valid server name', (name) => {
  expect(serverNamePattern.test(name)).toBe(false);
});
