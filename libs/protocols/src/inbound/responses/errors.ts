import type { Fault } from '@callsmith/turn';
import type { ErrorResponse } from '../../inbound-adapter.ts';
import { openaiError } from '../openai-error.ts';

/** An error before anything was sent. Of messages that are too long, the field is `input` in this API. */
export function errorResponse(fault: Fault): ErrorResponse {
  const { error } = fault.body();
  const param = error.code === 'context_length_exceeded' && error.param === 'messages' ? 'input' : error.param;
  return { ...openaiError(fault), body: { error: { ...error, param } } };
}
