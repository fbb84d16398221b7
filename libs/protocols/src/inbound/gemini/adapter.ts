import { Fault } from '@callsmith/turn';
import type { InboundAdapter, ListQuery } from '../../inbound-adapter.ts';
import { messagePathIn } from '../message-paths.ts';
import { openaiRateLimits } from '../rate-limit-headers.ts';
import { errorFrames, errorResponse } from './errors.ts';
import { emptyFrame, generateFrames } from './frames.ts';
import { model, modelList } from './model-list.ts';
import { parseCountRequest, parseGenerateRequest } from './request.ts';
import { wholeGenerateResponse } from './whole.ts';

/**
 * `POST /v1beta/models/{model}:generateContent` and its related routes: Google's API
 * (https://ai.google.dev/api/generate-content).
 */
export const gemini: InboundAdapter = {
  path: '/models/*',
  address: '/v1beta/models/{model}:generateContent',
  idPrefix: 'gen_',
  versionHeader: 'x-goog-api-key',
  operation: 'generate_content',
  nearest: 'openai-chat',
  rateLimitHeaders: openaiRateLimits,
  checkQuery,
  wholeCalls: true,
  parseRequest: parseGenerateRequest,
  withoutConversation: (body) => ({ ...body, contents: [{ role: 'user', parts: [{ text: '' }] }] }),
  callIdName: 'functionResponse.id',
  messagePath: (turn, message) => messagePathIn(turn, message, 'contents'),
  streamFrames: generateFrames,
  wholeResponse: wholeGenerateResponse,
  errorFrames,
  errorResponse,
  heartbeat: emptyFrame,
  counting: {
    parseRequest: parseCountRequest,
    response: (totalTokens) => ({ totalTokens }),
  },
  modelList: { list: modelList, one: model },
};

/** A key in the address would be in the logs of every intermediary. */
function checkQuery({ key }: ListQuery): void {
  if (key !== undefined)
    throw new Fault(
      'invalid_api_key',
      'The API key is in the address, which is written to logs. Send it in the header x-goog-api-key.',
    );
}
