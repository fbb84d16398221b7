import type { Turn } from '@callsmith/turn';
import type { InboundAdapter } from '../inbound-adapter.ts';
import { responseFaultFrames, responseFrames, responseHeartbeat } from './responses/frames.ts';
import { readResponsesRequest } from './responses/request.ts';
import { responseWhole } from './responses/whole.ts';

/** `POST /v1/responses`. */
export const responses: InboundAdapter = {
  name: 'responses',
  parseRequest: readResponsesRequest,
  messagePath: placeOf,
  streamFrames: responseFrames,
  wholeResponse: responseWhole,
  errorFrames: responseFaultFrames,
  heartbeat: responseHeartbeat,
};

function placeOf(turn: Turn, message: number): string {
  const places = turn.echo?.places;
  const place = Array.isArray(places) ? places[message] : undefined;
  return typeof place === 'string' ? place : `messages[${message}]`;
}
