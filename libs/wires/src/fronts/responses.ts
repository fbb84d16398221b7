import type { Turn } from '@callsmith/turn';
import type { Front } from '../front.ts';
import { responseFaultFrames, responseFrames, responseHeartbeat } from './responses/frames.ts';
import { readResponsesRequest } from './responses/request.ts';
import { responseWhole } from './responses/whole.ts';

/** `POST /v1/responses`. */
export const responses: Front = {
  name: 'responses',
  turn: readResponsesRequest,
  place: placeOf,
  frames: responseFrames,
  whole: responseWhole,
  faultFrames: responseFaultFrames,
  heartbeat: responseHeartbeat,
};

function placeOf(turn: Turn, message: number): string {
  const places = turn.echo?.places;
  const place = Array.isArray(places) ? places[message] : undefined;
  return typeof place === 'string' ? place : `messages[${message}]`;
}
