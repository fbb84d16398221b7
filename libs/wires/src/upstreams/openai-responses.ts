import type { UpstreamWire } from '../upstream.ts';
import { upstreamFault } from './fault.ts';
import { explodeResponse, responsesEvents } from './openai-responses/events.ts';
import { responsesRequest } from './openai-responses/request.ts';

/** `/responses` as LM Studio and OpenAI speak it (H-5). */
export const openaiResponses: UpstreamWire = {
  name: 'openai-responses',
  request: responsesRequest,
  events: responsesEvents,
  explode: explodeResponse,
  fault: upstreamFault,
};
