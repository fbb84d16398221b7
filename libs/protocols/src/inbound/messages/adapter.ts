import { isObject } from '@callsmith/turn';
import type { InboundAdapter } from '../../inbound-adapter.ts';
import { messagePathIn } from '../message-paths.ts';
import { anthropicRateLimits } from '../rate-limit-headers.ts';
import { errorResponse, messageErrorFrames } from './errors.ts';
import { messageFrames, ping } from './frames.ts';
import { model, modelList } from './model-list.ts';
import { parseCountRequest, parseMessagesRequest } from './request.ts';
import { wholeMessage } from './whole.ts';

/** `POST /v1/messages`: Anthropic's API (https://docs.anthropic.com/en/api/messages). */
export const messages: InboundAdapter = {
  path: '/messages',
  idPrefix: 'msg_',
  nearest: 'openai-chat',
  versionHeader: 'anthropic-version',
  requestIdHeader: 'request-id',
  conversationHeader: 'x-claude-code-session-id',
  rateLimitHeaders: anthropicRateLimits,
  wholeCalls: true,
  parseRequest: parseMessagesRequest,
  withoutConversation: (body) => ({ ...body, messages: [{ role: 'user', content: '' }] }),
  callIdName: 'tool_use_id',
  messagePath: (turn, message) => messagePathIn(turn, message, 'messages'),
  userOf: ({ metadata }) =>
    isObject(metadata) && typeof metadata.user_id === 'string'
      ? { member: 'user_id', value: metadata.user_id }
      : undefined,
  streamFrames: messageFrames,
  wholeResponse: wholeMessage,
  errorFrames: messageErrorFrames,
  errorResponse,
  heartbeat: () => ping,
  counting: {
    parseRequest: parseCountRequest,
    response: (inputTokens) => ({ input_tokens: inputTokens }),
  },
  modelList: { list: modelList, one: model },
};
