import type { OutboundAdapter } from '../../outbound-adapter.ts';
import { toFault } from '../to-fault.ts';
import { responsesEvents } from './events.ts';
import { responsesRequest } from './request.ts';
import { responseToEvents } from './to-events.ts';

/** `/responses` as LM Studio and OpenAI implement it (H-5). */
export const openaiResponses: OutboundAdapter = {
  framing: 'events',
  request: responsesRequest,
  events: responsesEvents,
  toEvents: responseToEvents,
  toFault: toFault,
};
