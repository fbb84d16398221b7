import { randomUUID } from 'node:crypto';
import type { InboundAdapter, RequestHeaders, ResponseHead } from '@callsmith/protocols';
import type { Turn } from '@callsmith/turn';

/** The gateway's own values in the response to a turn. */
export const newResponseHead = (adapter: InboundAdapter, turn: Turn, headers: RequestHeaders): ResponseHead => ({
  id: adapter.idPrefix + randomUUID().replaceAll('-', ''),
  model: turn.model,
  createdAt: Math.floor(Date.now() / 1000),
  ...(adapter.knowsOwnEventsOnly?.(headers) && { knownEventsOnly: true }),
});
