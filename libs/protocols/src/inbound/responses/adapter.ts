import type { InboundAdapter } from '../../inbound-adapter.ts';
import { messagePathIn } from '../message-paths.ts';
import { openaiRateLimits } from '../rate-limit-headers.ts';
import { errorResponse } from './errors.ts';
import { responseErrorFrames, responseFrames, responseHeartbeat } from './frames.ts';
import { parseResponsesRequest } from './request.ts';
import { storedState } from './stored-state.ts';
import { wholeResponse } from './whole.ts';

/** `POST /v1/responses`. */
export const responses: InboundAdapter = {
  path: '/responses',
  idPrefix: 'resp_',
  rateLimitHeaders: openaiRateLimits,
  nearest: 'openai-responses',
  parseRequest: parseResponsesRequest,
  withoutConversation: ({ previous_response_id: _, ...body }) => ({
    ...body,
    input: [{ role: 'user', content: '' }],
  }),
  reportsToolRuns: true,
  callIdName: 'call_id',
  // The stream helper of OpenAI's SDK for JavaScript identifies itself.
  knowsOwnEventsOnly: (headers) => headers['x-stainless-helper-method'] !== undefined,
  messagePath: (turn, message) => messagePathIn(turn, message, 'input'),
  streamFrames: responseFrames,
  wholeResponse,
  errorFrames: responseErrorFrames,
  errorResponse,
  heartbeat: responseHeartbeat,
  counting: {
    parseRequest: parseResponsesRequest,
    response: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
  },
  storedState,
};
