import { randomUUID } from 'node:crypto';
import type { InboundAdapter, ResponseHead } from '@callsmith/protocols';
import type { Turn } from '@callsmith/turn';

/** What the gateway says of itself in the answer to a turn. */
export const newResponseHead = ({ idPrefix }: InboundAdapter, turn: Turn): ResponseHead => ({
  id: idPrefix + randomUUID().replaceAll('-', ''),
  model: turn.model,
  createdAt: Math.floor(Date.now() / 1000),
});
