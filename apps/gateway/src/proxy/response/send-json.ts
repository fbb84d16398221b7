import { type ErrorResponse, type InboundAdapter, openaiError } from '@callsmith/protocols';
import { type Fault, writeJson } from '@callsmith/turn';
import type { FastifyReply } from 'fastify';
import type { RecordParts } from '../record/request-record.ts';
import { responseHeaders } from './response-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The API that the route belongs to: whatever goes wrong there is said in its form. Absent: OpenAI's. */
    adapter?: InboundAdapter;
  }
}

/** Sends one JSON body with its status and headers, and writes down that it did. A request without a record is none to a model. */
export function sendJson(
  reply: FastifyReply,
  { status, headers, body }: ErrorResponse,
  record: RecordParts | undefined,
): void {
  if (record) {
    record.response.status = status;
    record.response.firstSentAt ??= performance.now();
    void reply.headers(responseHeaders(record));
  }
  void reply
    .code(status)
    .headers(headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(writeJson(body));
}

/** Sends an error as the API of the request's route says it. */
export function sendFault(reply: FastifyReply, fault: Fault, record: RecordParts | undefined): void {
  const { errorResponse = openaiError } = reply.request.routeOptions.config.adapter ?? {};
  sendJson(reply, errorResponse(fault, reply.request.id), record);
}
