import type { OutgoingHttpHeaders } from 'node:http';
import type { InboundAdapter, ResponseHead } from '@callsmith/protocols';
import type { Turn } from '@callsmith/turn';
import type { FastifyReply } from 'fastify';
import type { RecordParts } from '../record/request-record.ts';
import type { ClientResponse, SendBody } from './client-response.ts';
import type { Heartbeat } from './heartbeat.ts';
import { responseHeaders } from './response-headers.ts';
import { sendFault, sendJson } from './send-json.ts';
import { StreamReply } from './stream-reply.ts';
import { StreamResponse } from './stream-response.ts';
import { WholeResponse } from './whole-response.ts';

/** The response to a client: a stream or a whole one, as its turn wants it. */
export function responseTo(
  reply: FastifyReply,
  turn: Turn,
  {
    adapter,
    head,
    record,
    heartbeat,
  }: {
    readonly adapter: InboundAdapter;
    readonly head: ResponseHead;
    readonly record: RecordParts;
    readonly heartbeat: Heartbeat;
  },
): ClientResponse {
  const { response: summary } = record;
  const sendBody: SendBody = {
    whole: (body) => {
      if (!reply.raw.destroyed) sendJson(reply, { status: 200, headers: {}, body }, record);
    },
    fault: (fault) => {
      if (!reply.raw.destroyed) sendFault(reply, fault, record);
    },
  };
  if (!turn.stream) return new WholeResponse(adapter, turn, head, { summary, sendBody });
  const stream: StreamReply = new StreamReply(reply.raw, {
    headers: () => {
      reply.hijack();
      summary.sendHead(200);
      const copy = reply.getHeaders() as OutgoingHttpHeaders;
      return Object.assign(copy, streamHeaders(adapter), responseHeaders(record));
    },
    keepAlive: () => adapter.heartbeat(head),
    pause: () => response.source?.pause(),
    resume: () => response.source?.resume(),
    heartbeat,
  });
  const response = new StreamResponse(adapter, turn, head, { summary, reply: stream, sendBody });
  return response;
}

const streamHeaders = ({ streamType = 'text/event-stream; charset=utf-8' }: InboundAdapter) => ({
  'content-type': streamType,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
});
