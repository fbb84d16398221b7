import type { FastifyRequest } from 'fastify';
import type { Observers } from '../observers/index.ts';
import type { RecordParts } from '../record/request-record.ts';

/** One request to an inference route, from its head to its last byte. */
export interface InferenceRequest {
  readonly record: RecordParts;
  readonly observers: Observers;
  done: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The record of a request to an inference route. */
    inference: InferenceRequest | undefined;
  }
}

/** The record of a request to an inference route. Throws for any other: its route lacks the guard. */
export function inferenceOf(request: FastifyRequest): InferenceRequest {
  if (request.inference === undefined) throw new Error('an inference route without its guard');
  return request.inference;
}
