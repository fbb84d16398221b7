import type { Fault, JsonObject } from '@callsmith/turn';
import type { ErrorResponse } from '../../inbound-adapter.ts';
import { type MemberNames, memberOf } from '../member-names.ts';

/** The status names of this API, by HTTP status (https://google.aip.dev/193). */
const statuses: Readonly<Record<number, string>> = {
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

const names: MemberNames = new Map([
  ['messages', 'contents'],
  ['input', 'contents'],
  ['tool_choice', 'toolConfig.functionCallingConfig'],
  ['max_tokens', 'generationConfig.maxOutputTokens'],
  ['max_completion_tokens', 'generationConfig.maxOutputTokens'],
  ['max_output_tokens', 'generationConfig.maxOutputTokens'],
  ['temperature', 'generationConfig.temperature'],
  ['top_p', 'generationConfig.topP'],
  ['top_k', 'generationConfig.topK'],
  ['seed', 'generationConfig.seed'],
  ['stop', 'generationConfig.stopSequences'],
  ['response_format', 'generationConfig.responseSchema'],
  ['reasoning_effort', 'generationConfig.thinkingConfig'],
]);

function errorBody(fault: Fault): JsonObject {
  const { code, status, message, origin, headers } = fault;
  const param = memberOf(fault, names);
  const seconds = Number(headers['retry-after']);
  return {
    error: {
      code: status,
      message,
      status: statuses[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: code.toUpperCase(),
          domain: 'callsmith',
          metadata: { code, origin, ...(param !== null && { param }) },
        },
        ...(seconds > 0
          ? [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${Math.ceil(seconds)}s` }]
          : []),
      ],
    },
  };
}
