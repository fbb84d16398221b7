import type { Sink } from '@callsmith/stream';
import { Fault } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { RequestRecord } from '../record/request-record.ts';
import { Attempt, type AttemptFailure, type AttemptParts } from './attempt.ts';

const wrong = new TypeError('a mistake of ours');
const sink = (wrongAt: keyof Sink<unknown>): Sink<unknown> => {
  const at = (name: keyof Sink<unknown>) => () => {
    if (name === wrongAt) throw wrong;
  };
  return { push: at('push'), flush: at('flush'), end: at('end') };
};

/** An attempt whose way to the client has a mistake in it. */
function attemptWith(wrongAt: keyof Sink<unknown>): { attempt: Attempt; failures: (AttemptFailure | undefined)[] } {
  const failures: (AttemptFailure | undefined)[] = [];
  const parts: Partial<AttemptParts> = {
    exchange: new RequestRecord('r', '/v1/chat/completions', 'other'),
    answer: {
      committed: true,
      satisfied: false,
      push: () => {},
      flush: () => {},
      passFrame: () => {},
      passWhole: () => {},
      end: () => {},
    },
    passthrough: undefined,
    parseUpstream: () => sink(wrongAt),
    parseModelOutput: () => sink(wrongAt),
    done: (failure) => failures.push(failure),
  };
  const attempt = new Attempt(parts as AttemptParts);
  attempt.started(200, { 'content-type': 'text/event-stream' });
  return { attempt, failures };
}

it.each(['push', 'flush', 'end'] as const)('a mistake at the %s ends the attempt, and nothing else', (wrongAt) => {
  const { attempt, failures } = attemptWith(wrongAt);
  attempt.data(Buffer.from('data: {}\n\n'));
  attempt.flush();
  attempt.ended();
  expect(failures).toHaveLength(1);
  expect(failures[0]?.fault).toBeInstanceOf(Fault);
  expect([failures[0]?.fault.code, failures[0]?.fault.cause]).toEqual(['internal_error', wrong]);
});
