import type { OutboundAdapter } from '../../outbound-adapter.ts';
import { toFault } from '../to-fault.ts';
import { ollamaEvents } from './events.ts';
import { constraintFormat, ollamaRequest } from './request.ts';
import { ollamaToEvents } from './to-events.ts';

/** Ollama's own `/api/chat`: https://docs.ollama.com/api/chat */
export const ollamaChat: OutboundAdapter = {
  framing: 'lines',
  dataImagesOnly: true,
  request: ollamaRequest,
  constraintMembers: constraintFormat,
  events: ollamaEvents,
  toEvents: ollamaToEvents,
  toFault: toFault,
};
