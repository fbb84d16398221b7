import type { Fault, JsonObject } from '@callsmith/turn';
import type { ErrorResponse } from '../../inbound-adapter.ts';

/** The status names of this API, by HTTP status (https://google.aip.dev/193). */
const names: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** An error before anything was sent. */
export const errorResponse = (fault: Fault): ErrorResponse => ({
  status: fault.status,
  headers: fault.headers,
  body: errorBody(fault),
});

/** An error in mid-stream: its clients end the answer with it. */
export const errorFrames = (fault: Fault): string => `data: ${JSON.stringify(errorBody(fault))}\n\n`;

/** Of messages that are too long, the field is `contents` in this API. */
const fieldOf = (code: string, param: string): string =>
  code === 'context_length_exceeded' && param === 'messages' ? 'contents' : param;

function errorBody({ code, status, message, origin, param, headers }: Fault): JsonObject {
  const seconds = Number(headers['retry-after']);
  return {
    error: {
      code: status,
      message,
      status: names[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: code.toUpperCase(),
          domain: 'callsmith',
          metadata: { code, origin, ...(param !== null && { param: fieldOf(code, param) }) },
        },
        ...(seconds > 0
          ? [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${Math.ceil(seconds)}s` }]
          : []),
      ],
    },
  };
}
