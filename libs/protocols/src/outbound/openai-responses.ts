import type { OutboundAdapter } from '../outbound-adapter.ts';
import { upstreamFault } from './fault.ts';
import { responsesEvents, responseToEvents } from './openai-responses/events.ts';
import { responsesRequest } from './openai-responses/request.ts';

/** `/responses` as LM Studio and OpenAI speak it (H-5). */
export const openaiResponses: OutboundAdapter = {
  name: 'openai-responses',
  request: responsesRequest,
  events: responsesEvents,
  toEvents: responseToEvents,
  toFault: upstreamFault,
};
