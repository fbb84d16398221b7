import type { InboundAdapter } from '../inbound-adapter.ts';
import { chatFaultFrames, chatFrames, chatHeartbeat } from './chat-completions/frames.ts';
import { readChatRequest } from './chat-completions/request.ts';
import { chatWhole } from './chat-completions/whole.ts';

/** `POST /v1/chat/completions`. */
export const chatCompletions: InboundAdapter = {
  name: 'chat-completions',
  parseRequest: readChatRequest,
  messagePath: (_turn, message) => `messages[${message}]`,
  streamFrames: chatFrames,
  wholeResponse: chatWhole,
  errorFrames: chatFaultFrames,
  heartbeat: chatHeartbeat,
};
