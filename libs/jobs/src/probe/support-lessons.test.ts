import type { SupportFound } from '@callsmith/data/probes';
import { expect, it } from 'vitest';
import { supportLessons } from './support-lessons.ts';

const found = (what: string, support: SupportFound['support'], detail = ''): SupportFound => ({
  what,
  support,
  detail,
});
const good = [
  found('tools', 'works'),
  found('usage', 'works'),
  found('tool_choice: required', 'works'),
  found('tool_choice: a named tool', 'works'),
  found('tool_choice: none', 'works'),
];
/** The lessons of a server that supports everything except what is given. */
const learned = (...given: SupportFound[]) =>
  supportLessons([...good.filter(({ what }) => !given.some((other) => other.what === what)), ...given]).map(
    ({ what, value }) => [what, value],
  );

it('a server that accepts everything teaches nothing', () => {
  expect(learned(found('seed', 'taken'), found('logprobs', 'works'))).toEqual([]);
});

it('D-37 a field is left out from then on if the server refuses it by name and answers without it', () => {
  const refusal = found('min_p', 'refused', 'HTTP 400: Unknown parameter: min_p');
  expect(learned(refusal)).toEqual([['parameter:min_p', false]]);
  expect(learned(found('min_p', 'refused', 'HTTP 400: Bad request'))).toEqual([]);
  expect(learned(found('min_p', 'refused', 'HTTP 400: min_p must be at most 0.01'))).toEqual([]);
  expect(learned(found('min_p', 'refused', 'HTTP 500: min_p is not supported'))).toEqual([]);
  expect(learned(found('usage', 'refused', 'HTTP 400: no'), refusal)).toEqual([]);
  expect(
    learned(
      found('parallel_tool_calls: true', 'refused', 'HTTP 422: parallel_tool_calls: Extra inputs are not permitted'),
    ),
  ).toEqual([['parameter:parallel_tool_calls', false]]);
  expect(learned(found('n', 'refused', 'HTTP 400: n is not supported'))).toEqual([]); // its response would be another one
});

it('a tool_choice that is refused or ignored is sent in the form that works', () => {
  expect(learned(found('tool_choice: a named tool', 'no effect'))).toEqual([['retreat:named-tool', true]]);
  expect(learned(found('tool_choice: a named tool', 'refused', 'HTTP 400: x'))).toEqual([['retreat:named-tool', true]]);
  expect(learned(found('tool_choice: required', 'no effect'))).toEqual([['retreat:said-choice', true]]);
  expect(learned(found('tool_choice: required', 'refused', 'HTTP 400: x'))).toEqual([['retreat:no-tool-choice', true]]);
  expect(learned(found('tool_choice: none', 'no effect'))).toEqual([['retreat:no-tools', true]]);
});

it('a model without native calls teaches nothing about tool_choice, nor does a missing response', () => {
  expect(learned(found('tools', 'no effect'), found('tool_choice: required', 'no effect'))).toEqual([]);
  expect(learned(found('tool_choice: required', 'unknown', 'HTTP 503'))).toEqual([]);
});

it('a constraint counts as enforced by its effect, and as unsupported if it is refused', () => {
  expect(
    learned(
      found('strict tools', 'works'),
      found('constraint: structured_outputs', 'refused', 'HTTP 400: unknown'),
      found('constraint: response_format', 'no effect'), // its reasoning may have used up its tokens
    ),
  ).toEqual([
    ['constraint:strict', true],
    ['constraint:structured_outputs', false],
  ]);
});

it('each has the evidence of the probe', () => {
  const [lesson] = supportLessons([...good, found('seed', 'refused', 'HTTP 400: seed is not supported')]);
  expect(lesson?.reason).toBe('Probe: seed was refused (HTTP 400: seed is not supported).');
});
