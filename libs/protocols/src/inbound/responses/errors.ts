import type { Fault } from '@callsmith/turn';
import type { ErrorResponse } from '../../inbound-adapter.ts';
import { openaiError } from '../openai-error.ts';

/** An error before anything was sent. The messages as a whole, which may be too long, are `input` in this API. */
export function errorResponse(fault: Fault): ErrorResponse {
  const { error } = fault.body();
  const param = error.param === 'messages' ? 'input' : error.param;
  return { ...openaiError(fault), body: { error: { ...error, param } } };
}
