import { expect, it } from 'vitest';
import { reasonOf } from './reason-of.ts';

it.each([
  [new Error('fetch failed', { cause: new Error('other side closed') }), 'fetch failed: other side closed'],
  [new Error('it says\n a'), 'it says a'],
  [{}, 'unknown'],
  [new Error('x'.repeat(1000)), 'x'.repeat(300)],
  [
    new Error(
      'Invalid result for tools/call: [\n {"expected": "array", "code": "invalid_type", "path": ["content"], "message": "Invalid input: expected array, received string"}]',
    ),
    'its response does not follow the protocol at content: Invalid input: expected array, received string',
  ],
  [
    new Error('[{"code": "invalid_union", "errors": [[]], "path": [], "message": "Invalid input"}]'),
    'its response does not follow the protocol: Invalid input',
  ],
  [new Error('the list [1, 2] is wrong'), 'the list [1, 2] is wrong'],
])('%s', (problem, reason) => {
  expect(reasonOf(problem)).toBe(reason);
});
