import type { Fault } from '@callsmith/turn';
import type { ErrorResponse } from '../inbound-adapter.ts';

/** An error in OpenAI's form, which is also that of routes without their own API. */
export const openaiError = (fault: Fault): ErrorResponse => ({
  status: fault.status,
  headers: fault.headers,
  body: fault.body(),
});
