import { api, type Endpoint } from '@callsmith/contracts';
import { Fault } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse-input.ts';

function faultOf(run: () => unknown): Fault {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('no Fault was thrown');
}

it('names every wrong field', () => {
  const fault = faultOf(() => parseInput(api.keys.issueMany.body, { holders: ['', 'Ann'], requestsPerMinute: 0 }));
  expect(fault.body().error).toMatchObject({
    code: 'missing_parameter',
    param: 'teamId',
    type: 'invalid_request_error',
  });
  expect(fault.fields.map(({ path }) => path)).toEqual(['teamId', 'requestsPerMinute', 'holders[0]']);
});

it('gives an unknown strategy its own code', () => {
  const { body, codes } = api.models.change;
  const fault = faultOf(() => parseInput(body, { strategy: 'magic' }, codes));
  expect(fault.body().error).toMatchObject({ code: 'unsupported_strategy', param: 'strategy' });
  expect(fault.message).toBe('strategy: must be one of auto, native, strict, prompt; found "magic"');
});

it('names an unknown field', () => {
  const fault = faultOf(() => parseInput(api.models.change.body, { stratgy: 'native' }));
  expect(fault.fields).toEqual([{ path: 'stratgy', message: 'is not a known field' }]);
});

it.each([
  [{ name: 'a\0b' }, 'name'],
  [{ name: 'a', modelIds: ['b', '\0'] }, 'modelIds[1]'],
])('names the path of U+0000, which the database cannot store as text (%j)', (given, path) => {
  const schema = z.object({ name: z.string(), modelIds: z.array(z.string()).optional() });
  const fault = faultOf(() => parseInput(schema, given));
  expect(fault.message).toBe(`${path}: must not contain the character U+0000`);
  expect(fault.body().error).toMatchObject({ code: 'invalid_parameter', param: path });
});

it('a deeply nested value is checked without overflowing the stack', () => {
  let deep: unknown = '\0';
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(faultOf(() => parseInput(z.unknown(), deep)).message).toContain('U+0000');
});

it('a field that a change does not name stays undefined', () => {
  expect(parseInput(api.keys.change.body, { holder: 'Ann' })).toEqual({ holder: 'Ann' });
  expect(parseInput(api.upstreams.change.body, { enabled: false })).toEqual({ enabled: false });
});

it('every endpoint refuses unknown members of its body, by name', () => {
  const open = Object.values(api)
    .flatMap((group) => Object.values(group) as Endpoint[])
    .filter(({ body }) => body instanceof z.ZodObject)
    .filter(({ body }) => {
      const { error } = body.safeParse({ noSuchMember: 1 });
      return !error?.issues.some(({ code }) => code === 'unrecognized_keys');
    });
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
