import { type ErrorResponse, type InboundAdapter, inboundAdapters, openaiError } from '@callsmith/protocols';
import { type Fault, writeJson } from '@callsmith/turn';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RecordParts } from '../record/request-record.ts';
import { responseHeaders } from './response-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The API of the route, whose error format applies. Undefined: OpenAI's. */
    adapter?: InboundAdapter;
  }
}

/** Sends one JSON body with its status and headers, and records it. A request without a record is no model request. */
export function sendJson(
  reply: FastifyReply,
  { status, headers, body }: ErrorResponse,
  record: RecordParts | undefined,
): void {
  if (record) {
    record.response.sendHead(status);
    void reply.headers(responseHeaders(record));
  }
  const json = writeJson(body);
  void reply
    .code(status)
    .headers(headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(json.length > longBody ? Buffer.from(json) : json);
}

/**
 * UTF-16 units. A longer body is encoded once, here: of a text Fastify counts the bytes and Node encodes it again, which
 * held the event loop for 160 ms for one of 31 MB.
 */
const longBody = 64 * 1024;

const named: readonly InboundAdapter[] = Object.values(inboundAdapters).filter(
  (adapter: InboundAdapter) => adapter.versionHeader !== undefined,
);

/** The API of a request: its route's, else the one whose header it has; undefined: OpenAI's. */
export const adapterOf = ({ routeOptions, headers }: FastifyRequest): InboundAdapter | undefined =>
  routeOptions.config.adapter ?? named.find(({ versionHeader = '' }) => headers[versionHeader] !== undefined);

/** Sends an error in the format of the request's API. */
export function sendFault(reply: FastifyReply, fault: Fault, record: RecordParts | undefined): void {
  const { errorResponse = openaiError } = adapterOf(reply.request) ?? {};
  sendJson(reply, errorResponse(fault, reply.request.id), record);
}
