import type { Fault } from '@callsmith/turn';
import type { ErrorResponse } from '../inbound-adapter.ts';
import { type MemberNames, memberOf } from './member-names.ts';

/** An error in OpenAI's form, which is also that of routes without their own API. */
export const openaiError = (fault: Fault): ErrorResponse => ({
  status: fault.status,
  headers: fault.headers,
  body: fault.body(),
});

/** The same for an API with its own names of members. */
export const openaiErrorWith =
  (names: MemberNames) =>
  (fault: Fault): ErrorResponse => ({
    ...openaiError(fault),
    body: { error: { ...fault.body().error, param: memberOf(fault, names) } },
  });
