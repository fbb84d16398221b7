import type { Front } from '../front.ts';
import { chatFaultFrames, chatFrames, chatHeartbeat } from './chat-completions/frames.ts';
import { readChatRequest } from './chat-completions/request.ts';
import { chatWhole } from './chat-completions/whole.ts';

/** `POST /v1/chat/completions`. */
export const chatCompletions: Front = {
  name: 'chat-completions',
  turn: readChatRequest,
  place: (_turn, message) => `messages[${message}]`,
  frames: chatFrames,
  whole: chatWhole,
  faultFrames: chatFaultFrames,
  heartbeat: chatHeartbeat,
};
