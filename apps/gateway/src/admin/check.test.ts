import { api, type Endpoint } from '@callsmith/contracts';
import { Fault } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { check } from './check.ts';

function faultOf(run: () => unknown): Fault {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('no Fault was thrown');
}

it('names every wrong field', () => {
  const fault = faultOf(() => check(api.keys.issueMany.body, { holders: ['', 'Ann'], requestsPerMinute: 0 }));
  expect(fault.body().error).toMatchObject({
    code: 'missing_parameter',
    param: 'teamId',
    type: 'invalid_request_error',
  });
  expect(fault.fields.map(({ path }) => path)).toEqual(['teamId', 'requestsPerMinute', 'holders[0]']);
});

it('gives an unknown strategy its own code', () => {
  const { body, codes } = api.models.change;
  const fault = faultOf(() => check(body, { strategy: 'magic' }, codes));
  expect(fault.body().error).toMatchObject({ code: 'unsupported_strategy', param: 'strategy' });
  expect(fault.message).toBe('strategy: must be one of auto, native, strict, prompt; found "magic"');
});

it('names a field that is none', () => {
  const fault = faultOf(() => check(api.models.change.body, { stratgy: 'native' }));
  expect(fault.fields).toEqual([{ path: 'stratgy', message: 'is not a known field' }]);
});

it('what a change does not name stays undefined', () => {
  expect(check(api.keys.change.body, { holder: 'Ann' })).toEqual({ holder: 'Ann' });
  expect(check(api.upstreams.change.body, { enabled: false })).toEqual({ enabled: false });
});

it('every endpoint refuses a member of its body that it does not know, by name', () => {
  const open = Object.values(api)
    .flatMap((group) => Object.values(group) as Endpoint[])
    .filter(({ body }) => body instanceof z.ZodObject)
    .filter(({ body }) => {
      const { error } = body.safeParse({ noSuchMember: 1 });
      return !error?.issues.some(({ code }) => code === 'unrecognized_keys');
    });
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
