import type { InboundAdapter } from '../../inbound-adapter.ts';
import { openaiErrorWith } from '../openai-error.ts';
import { openaiRateLimits } from '../rate-limit-headers.ts';
import { chatErrorFrames, chatFrames, chatHeartbeat } from './frames.ts';
import { mayPassThrough, passthroughStream, passthroughWhole, usageAndDone } from './passthrough.ts';
import { parseChatRequest } from './request.ts';
import { wholeChatResponse } from './whole.ts';

/** `POST /v1/chat/completions`. */
export const chatCompletions: InboundAdapter = {
  path: '/chat/completions',
  idPrefix: 'chatcmpl-',
  rateLimitHeaders: openaiRateLimits,
  nearest: 'openai-chat',
  parseRequest: parseChatRequest,
  withoutConversation: (body) => ({ ...body, messages: [{ role: 'user', content: '' }] }),
  callIdName: 'tool_call_id',
  messagePath: (_turn, message) => `messages[${message}]`,
  streamFrames: chatFrames,
  wholeResponse: wholeChatResponse,
  errorFrames: chatErrorFrames,
  // The names of a model server's `/v1/responses`.
  errorResponse: openaiErrorWith(
    new Map([
      ['input', 'messages'],
      ['max_output_tokens', 'max_completion_tokens'],
      ['text', 'response_format'],
      ['reasoning', 'reasoning_effort'],
    ]),
  ),
  heartbeat: chatHeartbeat,
  passthrough: {
    outbound: 'openai-chat',
    applies: mayPassThrough,
    stream: passthroughStream,
    whole: passthroughWhole,
    usageAndDone,
  },
};
