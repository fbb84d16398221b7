import { expect, it } from 'vitest';
import { boundMembers } from './bound-members.ts';
import { runSync } from './stage.ts';

const list = (members: number): string => `{"a":[${'1,'.repeat(members)}1]}`;

it('D-39 ends a stream at an event with too many members, and names the limit', () => {
  const { out, fault } = runSync(boundMembers(), ['{"a":1}', list(300_000), '{"b":1}']);
  expect(out).toEqual(['{"a":1}']);
  expect(fault).toMatchObject({
    code: 'upstream_invalid_answer',
    message: 'The model server sent an event of more than 250,000 object members and array elements.',
  });
});

it.each([
  ['members', list(200_000)],
  ['text', JSON.stringify({ a: '[1,2,{"a":'.repeat(400_000) })],
])('passes long events with few of them on: %s', (_, event) => {
  expect(runSync(boundMembers(), [event, '{}'])).toEqual({ out: [event, '{}'] });
});
