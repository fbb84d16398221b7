import type { OutboundAdapter } from '../../outbound-adapter.ts';
import { toFault } from '../to-fault.ts';
import { ollamaEvents } from './events.ts';
import { heldFormat, ollamaRequest } from './request.ts';
import { ollamaToEvents } from './to-events.ts';

/** Ollama's own `/api/chat`: https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion */
export const ollamaChat: OutboundAdapter = {
  framing: 'lines',
  dataImagesOnly: true,
  request: ollamaRequest,
  constraintMembers: heldFormat,
  events: ollamaEvents,
  toEvents: ollamaToEvents,
  toFault: toFault,
};
