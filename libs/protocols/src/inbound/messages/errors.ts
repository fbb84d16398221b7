import type { Fault, JsonObject } from '@callsmith/turn';
import type { ErrorResponse } from '../../inbound-adapter.ts';
import { type MemberNames, memberOf } from '../member-names.ts';
import { contextMessage } from './context-message.ts';

/** The error types of this API, by status (https://docs.anthropic.com/en/api/errors). */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error before anything was sent. */
export const errorResponse = (fault: Fault, requestId: string): ErrorResponse => ({
  status: statusOf(fault),
  headers: fault.headers,
  body: { ...errorBody(fault), request_id: requestId },
});

/** An error in mid-stream: clients retry the request. */
export const messageErrorFrames = (fault: Fault): string =>
  `event: error\ndata: ${JSON.stringify(errorBody(fault))}\n\n`;

const names: MemberNames = new Map([
  ['input', 'messages'],
  ['max_completion_tokens', 'max_tokens'],
  ['max_output_tokens', 'max_tokens'],
  ['stop', 'stop_sequences'],
  ['reasoning_effort', 'thinking'],
  ['reasoning', 'thinking'],
]);

function errorBody(fault: Fault): JsonObject {
  const { code, origin } = fault;
  const param = memberOf(fault, names);
  const status = statusOf(fault);
  const type = types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  const message = code === 'context_length_exceeded' ? contextMessage(fault.message) : fault.message;
  return { type: 'error', error: { type, message, code, origin, ...(param !== null && { param }) } };
}

/** The fault's own status, unless clients of this API expect another. */
function statusOf({ code, status }: Fault): number {
  // Claude Code sends both of its variables, and retries a 400 with the same request in six forms.
  if (code === 'conflicting_api_keys') return 403;
  return status === 503 ? 529 : status;
}
